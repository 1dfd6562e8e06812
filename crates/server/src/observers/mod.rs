//! Observers of your own: of each stored visit and of each change of a link.
//!
//! | module | holds |
//! |---|---|
//! | `observer` | what an observer is, and what it hears |
//! | `queues` | the observers, each with its queue and its thread |

mod observer;
mod queues;

pub use self::observer::{ObservedChange, ObservedVisit, Observer};
pub(crate) use self::queues::ObserverQueues;
