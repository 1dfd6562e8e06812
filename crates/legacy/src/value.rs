//! Members of an entry's JSON object, in all the forms that old versions wrote.

use serde_json::{Map, Value};
use slugline_domain::{Destination, EntryFault, UnixSeconds};

/// The longest destination accepted, in characters: the highest limit that an
/// instance can set. Old versions allowed 2,048.
const MAX_URL_CHARS: usize = 24_000;

/// A JSON object. `null` members count as absent.
pub(crate) struct Members<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> Members<'a> {
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A trimmed text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, EntryFault> {
        self.get(name).map(|value| text(name, value)).transpose()
    }

    /// A trimmed text; an empty one counts as absent.
    pub(crate) fn filled_text(&self, name: &str) -> Result<Option<&'a str>, EntryFault> {
        Ok(self.text(name)?.filter(|text| !text.is_empty()))
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, EntryFault> {
        let flag = |value: &Value| value.as_bool().ok_or_else(|| wrong(name, "true or false"));
        self.get(name).map(flag).transpose()
    }

    /// Unix seconds, as a number or as text.
    pub(crate) fn seconds(&self, name: &str) -> Result<Option<UnixSeconds>, EntryFault> {
        self.get(name).map(|value| seconds(name, value)).transpose()
    }

    pub(crate) fn destination(&self, name: &str) -> Result<Option<Destination>, EntryFault> {
        let text = self.filled_text(name)?;
        text.map(|text| destination(name, text)).transpose()
    }

    pub(crate) fn list(&self, name: &str) -> Result<&'a [Value], EntryFault> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(wrong(name, "a list")),
        }
    }

    pub(crate) fn object(&self, name: &str) -> Result<Option<&'a Map<String, Value>>, EntryFault> {
        let object = |value: &'a Value| value.as_object().ok_or_else(|| wrong(name, "an object"));
        self.get(name).map(object).transpose()
    }
}

pub(crate) fn text<'a>(name: &str, value: &'a Value) -> Result<&'a str, EntryFault> {
    let text = value.as_str().ok_or_else(|| wrong(name, "a text"))?;
    // PostgreSQL cannot store it.
    if text.contains('\0') {
        return Err(EntryFault::new(&format!("{name} holds a null character")));
    }
    Ok(text.trim())
}

pub(crate) fn destination(name: &str, text: &str) -> Result<Destination, EntryFault> {
    if text.chars().nth(MAX_URL_CHARS).is_some() {
        let fault = format!("{name}: URL must not exceed {MAX_URL_CHARS} characters");
        return Err(EntryFault::new(&fault));
    }
    // Old versions accepted every scheme. The only ones refused here are those
    // that run code.
    Destination::restore(text).map_err(|error| fault(name, &error))
}

fn seconds(name: &str, value: &Value) -> Result<UnixSeconds, EntryFault> {
    let number = match value {
        Value::Number(number) => number.as_i64(),
        Value::String(digits) => digits.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let number = number.ok_or_else(|| wrong(name, "Unix seconds"))?;
    UnixSeconds::new(number).map_err(|error| fault(name, &error))
}

/// A rule of the domain is broken. The domain's errors quote no values but
/// numbers and schemes.
pub(crate) fn fault(name: &str, error: &dyn std::error::Error) -> EntryFault {
    EntryFault::new(&format!("{name}: {error}"))
}

fn wrong(name: &str, expected: &str) -> EntryFault {
    EntryFault::new(&format!("{name} is not {expected}"))
}
