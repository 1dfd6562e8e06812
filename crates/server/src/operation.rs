//! Operations of your own: their declaration, the arguments of their handlers, and their answers.

pub use slugline_rest::{
    Body, CalledBy, ChangedBy, Changes, Context, Json, Links, NoContent, Operation, OperationSpec,
    PublicUrl, Query, Statistics,
};
