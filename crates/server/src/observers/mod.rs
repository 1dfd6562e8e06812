//! Observers of your own: of each stored visit and of each change of a link.
//!
//! | module | holds |
//! |---|---|
//! | `observer` | what an observer is, and what it hears |
//! | `crowd` | the observers, each with its queue and its thread |

mod crowd;
mod observer;

pub(crate) use self::crowd::Crowd;
pub use self::observer::{ObservedChange, ObservedVisit, Observer};
