//! Moments of the past in questions.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use slugline_domain::UnixSeconds;

use crate::{
    instant::{MomentError, usual},
    int_or_string::IntOrString,
    issue::IssueCode,
    sent::{Fault, Wire},
};

/// A moment in Unix seconds: a number, or a text that spells one. An empty text is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnixTime(pub i64);

impl UnixTime {
    /// Returns the second.
    ///
    /// # Errors
    /// The moment was probably meant in milliseconds, or is outside the supported range.
    pub(crate) fn second(self) -> Result<UnixSeconds, MomentError> {
        usual(self.0)
    }
}

impl Wire for UnixTime {
    const TYPE: &'static str = IntOrString::TYPE;

    fn from_json(value: Value) -> Option<Self> {
        IntOrString::from_json(value).map(|IntOrString(second)| Self(second))
    }

    fn fault(received: &str) -> Fault {
        let expected = "Unix seconds, such as 1798761600";
        let message = format!("Invalid input: expected {expected}, received {received}");
        (IssueCode::InvalidType, message, expected.to_owned())
    }
}

impl JsonSchema for UnixTime {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        IntOrString::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        IntOrString::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::issue::Explain;

    #[test]
    fn milliseconds_are_not_taken_for_seconds() {
        let moment = UnixTime::from_json(json!("1795413519000")).unwrap();
        let (_, message, expected) = moment.second().unwrap_err().explain();
        assert!(message.contains("milliseconds"), "{message}");
        assert_eq!(expected, "Unix seconds, such as 1795413519");
        assert!(UnixTime(1_795_413_519).second().is_ok());
        assert!(UnixTime(-5).second().is_ok());
    }
}
