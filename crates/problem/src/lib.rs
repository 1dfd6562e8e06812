//! The errors that clients see: stable codes with their HTTP status and title, texts that say what
//! to do next, and the JSON body. One exhaustive mapping makes them of the errors of use cases.
//!
//! It knows HTTP status numbers and JSON, and no web framework. Redirects answer with it without
//! the rest of the wire.
//!
//! ```
//! use slugline_problem::{Code, Problem};
//!
//! let problem = Problem::new(Code::LinkNotFound, "no link has the slug \"docs\"");
//! let body = serde_json::to_value(problem.body("https://sl.example/docs", |_| ()))?;
//! assert_eq!((problem.status(), &body["code"]), (404, &"link_not_found".into()));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`code`] | every error code with its status and title |
//! | [`issue`] | faults of single members of an input |
//! | [`problem`] | errors, how those of use cases map to them, and their body |
//! | `scope_name` | scopes of tokens, as clients name them |

pub mod code;
pub mod issue;
pub mod problem;
mod scope_name;

pub use code::Code;
pub use issue::{Issue, IssueCode};
pub use problem::{Problem, ProblemBody};
pub use scope_name::ScopeName;
