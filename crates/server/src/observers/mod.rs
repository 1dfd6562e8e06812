//! Observers of your own: of each stored visit and of each change of a link.
//!
//! | module | holds |
//! |---|---|
//! | `observer` | what an observer is, and what it hears |
//! | `crowd` | the observers, each with its queue and its thread |
//! | `observed_links`, `observed_history` | the store of links and its history, telling the crowd of changes |

mod crowd;
mod observed_history;
mod observed_links;
mod observer;

pub use self::observer::{ObservedChange, ObservedVisit, Observer};
pub(crate) use self::{crowd::Crowd, observed_history::observed_history, observed_links::observed};
