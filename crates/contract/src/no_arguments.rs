//! Tools without arguments.

use schemars::JsonSchema;
use serde::Deserialize;

/// The input of a tool without arguments.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub struct NoArguments {}
