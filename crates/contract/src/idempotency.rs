//! The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).

use slugline_domain::IdempotencyKey;

use crate::{
    Problem,
    issue::{Issue, IssueCode},
};

/// The name of the header.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Reads the key of a request from the values of the header: a text in quotes (RFC 8941
/// §3.3.3), or the bare key. `None` without the header.
///
/// # Errors
/// There are several values, or one that is no key.
pub fn idempotency_key<'v>(
    mut values: impl Iterator<Item = &'v [u8]>,
) -> Result<Option<IdempotencyKey>, Problem> {
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let text = std::str::from_utf8(value).ok().map(str::trim);
    let key = text.and_then(unquoted).and_then(|text| text.parse().ok());
    match key {
        Some(key) if values.next().is_none() => Ok(Some(key)),
        Some(_) | None => Err(Problem::invalid(vec![Issue {
            code: IssueCode::Custom,
            path: vec!["Idempotency-Key".to_owned()],
            message: "the header is no key of a request".to_owned(),
            expected: format!(
                "one text of 1 to {} printable ASCII characters, such as a UUID",
                IdempotencyKey::MAX_BYTES
            ),
        }])),
    }
}

fn unquoted(text: &str) -> Option<String> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Some(text.to_owned());
    };
    let mut plain = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return characters.next().is_none().then_some(plain),
            '\\' => match characters.next()? {
                escaped @ ('"' | '\\') => plain.push(escaped),
                _ => return None,
            },
            other => plain.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Result<Option<IdempotencyKey>, Problem> {
        idempotency_key(values.iter().map(|value| value.as_bytes()))
    }

    #[test]
    fn a_key_is_quoted_or_bare() {
        assert_eq!(read(&[]).unwrap(), None);
        for (value, key) in [
            ("8e03978e-40d5", "8e03978e-40d5"),
            (" \"8e03978e-40d5\" ", "8e03978e-40d5"),
            (r#""a\"b\\c""#, r#"a"b\c"#),
        ] {
            assert_eq!(read(&[value]).unwrap().unwrap().as_str(), key);
        }
        let long = "k".repeat(256);
        for wrong in [
            &["a", "a"][..],
            &[""],
            &["\"\""],
            &["\"a"],
            &["\"a\"b"],
            &["\"a\";p=1"],
            &["ä"],
            &[&long],
        ] {
            let problem = read(wrong).unwrap_err();
            assert_eq!(problem.issues[0].path, ["Idempotency-Key"], "{wrong:?}");
        }
    }
}
