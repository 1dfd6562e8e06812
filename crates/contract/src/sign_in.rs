//! The exchange of a one-time code for the site token.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Problem, sent::Sent, validation::Validation};

/// A one-time code.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["code"]))]
pub struct SignIn {
    /// The code from the address that `slugline token show` prints.
    pub code: Sent<String>,
}

impl SignIn {
    /// Returns the code.
    ///
    /// # Errors
    /// It is missing, or no text.
    pub fn validate(&self) -> Result<String, Problem> {
        let mut validation = Validation::default();
        let code = validation.there(&["code"], &self.code).cloned();
        validation.finish(|| code)
    }
}

/// The token that a code stood for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SignedIn {
    /// The site token.
    pub token: String,
}
