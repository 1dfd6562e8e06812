//! Day totals: the stored counts of days that are over. With them a question need not scan the
//! day's visits.
//!
//! ClickHouse has no triggers, so nothing tells the totals that their day has changed. Instead, each
//! count notes the fingerprint of the visits that it counted, and a question takes it only while
//! that is the fingerprint of the visits that are there. A projection of the table keeps the
//! fingerprint of each day, so late visits, imports, erasures, retention and other replicas need no
//! code of their own.
//!
//! | module | holds |
//! |---|---|
//! | `part` | the visits that totals are of: all of a day, those of a link, those of people or of bots |
//! | `lists` | the columns whose values have totals |
//! | `fingerprint` | the fingerprint of each day, and the projection that keeps it |
//! | `background` | statements that nobody waits for |
//! | `begun` | the counts that have begun, and whether they are void |
//! | `count` | the statements that count a day |
//! | `apart` | whether visitors of days add up |
//! | `over` | the days that are over, and what has been done for them |
//! | `plan` | the totals of a part, and which of them a question may take |
//! | `plans` | the plans of the latest questions, in memory |
//! | `rest` | what totals leave to read |
//! | `proof` | what has to hold when a question has read all |
//! | `stale` | removes totals of days that have changed |
//! | `upkeep` | counts days in the background |

mod apart;
mod background;
mod begun;
mod count;
mod fingerprint;
mod lists;
mod over;
mod part;
mod plan;
mod plans;
mod proof;
mod rest;
mod stale;
mod upkeep;

pub(crate) use apart::mix_days;
pub(crate) use lists::PLACE;
pub(crate) use plan::{Known, MOMENTS, Wanted};
pub(crate) use plans::{Age, KEPT_FOR, Plans};
pub(crate) use proof::Proof;
pub(crate) use rest::Rest;
pub(crate) use stale::remove_stale;
pub(crate) use upkeep::{Least, Ready, Upkeep};
