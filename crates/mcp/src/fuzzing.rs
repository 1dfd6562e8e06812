//! Entry point for `fuzz/`: the parser.

use serde_json::Value;

use crate::{
    headers_for,
    message::{Body, Message},
    modern, text,
};

/// Reads bytes as the endpoint does, and checks that every answer is JSON and repeats the
/// id of its message.
///
/// # Panics
/// An answer breaks one of these rules.
pub fn fuzz_message(bytes: &[u8]) {
    let messages = match Body::parse(bytes) {
        Ok(Body::One(message)) => vec![message],
        Ok(Body::Batch(messages)) => messages,
        Err(refusal) => return assert_error(&refusal.body(), &Value::Null),
    };
    for raw in messages {
        let parsed = Message::parse(raw);
        // A body that is nested too deeply cannot be parsed, but may stand beside a
        // message.
        let Ok(sent) = serde_json::from_str::<Value>(raw.get()) else {
            continue;
        };
        match parsed {
            Ok(Message::Request(request)) => {
                let id: Value = serde_json::from_str(request.id.get()).expect("ids are JSON");
                assert_eq!(id, sent["id"], "ids are repeated");
                assert!(id.is_string() || id.is_number(), "ids are texts or numbers");
                for (name, header) in headers_for(&sent) {
                    let read = modern::decode(&header);
                    let named = match sent["method"].as_str() {
                        Some("resources/read") => &sent["params"]["uri"],
                        _ => &sent["params"]["name"],
                    };
                    if name == "mcp-name" {
                        assert_eq!(read.as_deref(), named.as_str(), "names come back");
                    }
                }
            }
            Ok(Message::Notification(_)) => {
                assert!(sent["id"].is_null(), "what has an id is answered");
            }
            Ok(Message::Response) => {}
            Err(refusal) => {
                let body: Value = serde_json::from_str(&refusal.body()).expect("JSON");
                assert_error(&refusal.body(), &body["id"]);
            }
        }
        let shown = text::of_result(raw.get());
        assert!(!shown.contains('\u{202e}'), "texts turn nothing around");
        // Serde wrote our answer, and leaves no blanks.
        let written = sent.to_string();
        if let Some(escaped) = text::escaped(&written) {
            let read: Value = serde_json::from_str(&escaped).expect("escapes are JSON");
            // Not `sent`: serde_json may read the last digit of a very long number otherwise.
            let meant: Value = serde_json::from_str(&written).expect("serde writes JSON");
            assert_eq!(read, meant, "escapes change nothing");
        }
    }
}

fn assert_error(body: &str, id: &Value) {
    let body: Value = serde_json::from_str(body).expect("refusals are JSON");
    assert_eq!(body["id"], *id);
    assert!(body["error"]["code"].is_i64() && body["error"]["message"].is_string());
}
