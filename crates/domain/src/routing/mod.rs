//! Rules, splits and patterns: where a link leads whom.
//!
//! | module | holds |
//! |---|---|
//! | `rules` | rules in their order, and the first one that holds |
//! | `condition`, `condition_error` | one condition of a rule, and its question to the facts; why texts are none |
//! | `kind` | the names of conditions |
//! | `value` | the values of conditions as texts, within their bounds |
//! | `facts` | what conditions ask of a visitor, worked out only when asked |
//! | `device`, `continent`, `calendar`, `network`, `words`, `parameter` | the values of conditions |
//! | `split` | shares of the visitors |
//! | `forward` | the rest of a path, passed on to the destination |

mod calendar;
mod condition;
mod condition_error;
mod continent;
mod device;
mod facts;
mod forward;
mod kind;
mod network;
mod parameter;
mod rules;
mod split;
mod value;
mod words;

pub use condition::Condition;
pub use condition_error::ConditionError;
pub use continent::Continent;
pub use device::Device;
pub use facts::{AgentFacts, NoFacts, VisitorFacts};
pub(crate) use forward::fill;
pub use forward::{PathRest, may_forward, misplaced_placeholder, placeholder_in};
pub use kind::{ConditionForm, ConditionKind, KnownPlaces};
pub use rules::{Miss, Rule, RuleError, Rules, RulesError};
pub use split::{Share, Split, SplitError};
