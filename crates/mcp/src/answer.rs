//! Results and errors → bytes and a status.

use std::fmt;

use jsonrpsee::types::{ErrorCode, ErrorObjectOwned};
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use slugline_domain::Scope;

/// JSON that is sent unchanged.
#[derive(Clone)]
pub(crate) struct Raw(Box<RawValue>);

impl Raw {
    pub(crate) fn of(value: &impl Serialize) -> Self {
        Self(serde_json::value::to_raw_value(value).expect("answers are plain data"))
    }

    pub(crate) fn null() -> Self {
        Self::of(&Value::Null)
    }

    pub(crate) fn get(&self) -> &str {
        self.0.get()
    }
}

impl From<Box<RawValue>> for Raw {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl Serialize for Raw {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Codes that MCP adds to those of JSON-RPC.
pub(crate) const HEADER_MISMATCH: i32 = -32020;
pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;

/// The response of the endpoint over HTTP.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// A JSON-RPC message, or an array of them; empty for notifications.
    pub(crate) body: Option<String>,
    /// The scopes that the message needs, if its sender is an assistant that lacks one.
    pub(crate) needs: Vec<Scope>,
}

impl Answer {
    /// Accepted, without a body.
    pub(crate) fn accepted() -> Self {
        Self {
            status: 202,
            body: None,
            needs: Vec::new(),
        }
    }

    pub(crate) fn result(id: &Raw, result: &Raw) -> Self {
        let (id, result) = (id.get(), result.get());
        Self {
            status: 200,
            body: Some(format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
            )),
            needs: Vec::new(),
        }
    }
}

/// A JSON-RPC error with its HTTP status.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: u16,
    id: Raw,
    error: Box<ErrorObjectOwned>,
    needs: Vec<Scope>,
}

impl Refusal {
    pub(crate) fn new(status: u16, code: ErrorCode, message: &str) -> Self {
        Self::with_data(status, code.code(), message, None)
    }

    pub(crate) fn with_data(status: u16, code: i32, message: &str, data: Option<Value>) -> Self {
        let error = Box::new(ErrorObjectOwned::owned(code, message, data));
        Self {
            status,
            id: Raw::null(),
            error,
            needs: Vec::new(),
        }
    }

    /// Returns the error for an assistant that lacks one of these scopes.
    pub(crate) fn insufficient_scope(needs: Vec<Scope>) -> Self {
        let names: Vec<&str> = needs.iter().map(|scope| scope.as_str()).collect();
        let message = format!("Insufficient scope: the call needs {}", names.join(" and "));
        Self {
            needs,
            ..Self::new(403, ErrorCode::InvalidRequest, &message)
        }
    }

    /// Returns the same error for the message with this id, if the message had a readable
    /// id.
    pub(crate) fn about(self, id: Option<Raw>) -> Self {
        Self {
            id: id.unwrap_or(self.id),
            ..self
        }
    }

    pub(crate) fn body(&self) -> String {
        let error = Raw::of(&self.error);
        format!(
            r#"{{"jsonrpc":"2.0","error":{},"id":{}}}"#,
            error.get(),
            self.id.get()
        )
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> i32 {
        self.error.code()
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        Self {
            status: refusal.status,
            body: Some(refusal.body()),
            needs: refusal.needs,
        }
    }
}
