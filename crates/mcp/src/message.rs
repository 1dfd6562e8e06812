//! Bytes → JSON-RPC messages.

use jsonrpsee::types::ErrorCode;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, value::RawValue};

use crate::answer::{Raw, Refusal};

/// One JSON-RPC message from a client.
#[derive(Debug)]
pub(crate) enum Message {
    /// A request, which gets an answer.
    Request(Request),
    /// A notification, which gets no answer.
    Notification(Notification),
    /// A response to a request that we never sent; some older clients send it.
    Response,
}

#[derive(Debug)]
pub(crate) struct Request {
    /// Repeated unchanged in the answer.
    pub(crate) id: Raw,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
}

#[derive(Debug)]
pub(crate) struct Notification {
    pub(crate) params: Map<String, Value>,
}

/// A whole body.
#[derive(Debug)]
pub(crate) enum Body<'a> {
    One(&'a RawValue),
    Batch(Vec<&'a RawValue>),
}

impl<'a> Body<'a> {
    /// # Errors
    /// The bytes are not JSON, or neither an object nor an array.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Refusal> {
        let body: &RawValue = serde_json::from_slice(bytes)
            .map_err(|_| Refusal::new(400, ErrorCode::ParseError, "Parse error: Invalid JSON"))?;
        match body.get().as_bytes().first() {
            Some(b'{') => Ok(Self::One(body)),
            Some(b'[') => Ok(Self::Batch(
                serde_json::from_str(body.get()).expect("a checked array is an array"),
            )),
            Some(_) | None => Err(malformed(
                "a message is an object, or an array of them where batches exist",
            )),
        }
    }
}

/// Keeps every member raw, so that a wrong member does not hide the `id`.
///
/// Some serializers write `null` for each member that a message does not have.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Reads `null` as a value, which `Option` alone does not: a result may be null, and a request
/// whose `id` is null is no notification.
fn present<'de: 'a, 'a, D>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error>
where
    D: Deserializer<'de>,
{
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl Message {
    /// # Errors
    /// The object is not a JSON-RPC 2.0 message.
    pub(crate) fn parse(raw: &RawValue) -> Result<Self, Refusal> {
        let envelope: Envelope<'_> = serde_json::from_str(raw.get())
            .map_err(|_| malformed("a message is an object with each member at most once"))?;
        let id = envelope.id.filter(|id| id.get() != "null");
        let id = id.map(self::id).transpose()?;
        let parsed = Self::interpret(&envelope, id.clone());
        // Without its id a client cannot match the refusal to a message.
        parsed.map_err(|refusal| refusal.about(id))
    }

    fn interpret(envelope: &Envelope<'_>, id: Option<Raw>) -> Result<Self, Refusal> {
        if envelope
            .jsonrpc
            .is_none_or(|version| version.get() != r#""2.0""#)
        {
            return Err(malformed("jsonrpc must be \"2.0\""));
        }
        let Some(method) = envelope.method else {
            return if envelope.result.is_some() || envelope.error.is_some() {
                Ok(Self::Response)
            } else {
                Err(malformed("method is missing"))
            };
        };
        let method: String =
            serde_json::from_str(method.get()).map_err(|_| malformed("method must be a string"))?;
        let mut params = match envelope.params {
            None => Map::new(),
            Some(params) => serde_json::from_str(params.get())
                .map_err(|_| malformed("params must be an object"))?,
        };
        drop_nulls(&mut params);
        match id {
            Some(id) => Ok(Self::Request(Request { id, method, params })),
            None if envelope.id.is_some() && !method.starts_with("notifications/") => {
                Err(malformed(ID))
            }
            None => Ok(Self::Notification(Notification { params })),
        }
    }
}

/// Removes members that are null, however deep: models and serializers fill gaps with them.
fn drop_nulls(members: &mut Map<String, Value>) {
    members.retain(|_, value| !value.is_null());
    members.values_mut().for_each(drop_nulls_below);
}

fn drop_nulls_below(value: &mut Value) {
    if let Value::Array(items) = value {
        items.iter_mut().for_each(drop_nulls_below);
    } else if let Value::Object(members) = value {
        drop_nulls(members);
    }
}

fn id(raw: &RawValue) -> Result<Raw, Refusal> {
    let text = raw.get();
    let string = text.starts_with('"');
    let integer = text.parse::<i64>().is_ok();
    if string || integer {
        return Ok(raw.to_owned().into());
    }
    Err(malformed(ID))
}

const ID: &str = "id must be a string or an integer";

fn malformed(what: &str) -> Refusal {
    Refusal::new(
        400,
        ErrorCode::InvalidRequest,
        &format!("Invalid request: {what}"),
    )
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn parse(text: &str) -> Result<Message, Refusal> {
        match Body::parse(text.as_bytes())? {
            Body::One(raw) => Message::parse(raw),
            Body::Batch(_) => panic!("not a batch"),
        }
    }

    #[rstest]
    #[case("0")]
    #[case("-3")]
    #[case(r#""""#)]
    #[case(r#""0""#)]
    #[case("9007199254740993")]
    fn ids_are_repeated_unchanged(#[case] id: &str) {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"pi\u006eg"}}"#);
        let Ok(Message::Request(request)) = parse(&text) else {
            panic!("{text}")
        };
        assert_eq!(request.id.get(), id);
        assert_eq!(request.method, "ping");
    }

    #[rstest]
    #[case(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#)]
    #[case(r#"{"id":1,"method":"ping"}"#)]
    #[case(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":1}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"method":5}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#)]
    #[case(r#"{"jsonrpc":null,"id":1,"method":"ping"}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"method":null,"error":null}"#)]
    #[case("5")]
    #[case("null")]
    fn what_is_no_message_is_refused(#[case] text: &str) {
        assert_eq!(parse(text).unwrap_err().code(), -32600, "{text}");
    }

    #[rstest]
    #[case(r#""params":null"#, json!({}))]
    #[case(r#""params":{"cursor":null,"_meta":null},"result":null,"error":null"#, json!({}))]
    #[case(
        r#""params":{"arguments":{"tags":["a",null],"geo":{"DE":null},"rules":[{"when":null}]}}"#,
        json!({"arguments": {"tags": ["a", null], "geo": {}, "rules": [{}]}})
    )]
    fn members_that_are_null_are_absent(#[case] members: &str, #[case] params: Value) {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list",{members}}}"#);
        let Ok(Message::Request(request)) = parse(&text) else {
            panic!("{text}")
        };
        assert_eq!(Value::Object(request.params), params);
    }

    #[test]
    fn a_refusal_repeats_the_id_where_it_could_be_read() {
        let refusal = parse(r#"{"jsonrpc":"2.0","id":"x","method":5}"#).unwrap_err();
        assert!(refusal.body().contains(r#""id":"x""#), "{}", refusal.body());
    }

    #[rstest]
    #[case("")]
    #[case("{")]
    #[case("{\"a\":\u{1}}")]
    fn what_is_not_json_is_a_parse_error(#[case] text: &str) {
        assert_eq!(Body::parse(text.as_bytes()).unwrap_err().code(), -32700);
        assert_eq!(Body::parse(b"\"\xff\"").unwrap_err().code(), -32700);
    }

    #[test]
    fn notifications_and_responses_are_told_apart() {
        for notification in [
            r#"{"jsonrpc":"2.0","method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"notifications\/initialized"}"#,
        ] {
            assert!(matches!(parse(notification), Ok(Message::Notification(_))));
        }
        for response in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":null,"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":null,"error":{}}"#,
        ] {
            assert!(matches!(parse(response), Ok(Message::Response)));
        }
    }
}
