//! Records when visits were sampled. The rows that a question finds cannot tell: a visit that was
//! sampled away leaves no row. So the writer records what it decided, by time and by link, in the
//! transaction that stores the batch, and an answer is exact only if no such record concerns it.
//!
//! | module | holds |
//! |---|---|
//! | `span` | a range of minutes in which visits were sampled |
//! | `pending` | the decisions of a batch, until they are stored |
//! | `table` | the spans in the database |

mod pending;
mod span;
pub mod table;

pub(crate) use pending::Pending;
pub use span::{QuestionScope, SampledLink, Span};
