//! Finds the generation that a body belongs to, and handles batches.
//!
//! The body decides; headers only cross-check it. Clients of the
//! modern generation claim their revision inside every request.

use jsonrpsee::types::ErrorCode;
use serde_json::{Map, Value, json, value::RawValue};

use crate::{
    answer::{Answer, Refusal},
    legacy,
    message::{Body, Message, Notification, Request},
    modern::{self, VERSION_HEADER, VERSION_KEY, mismatch},
    server::Exchange,
    text,
    versions::MODERN,
};

/// The most messages in a batch.
const MAX_BATCH: usize = 50;

impl Exchange<'_> {
    /// Answers a body.
    pub(crate) async fn answer(&self, body: &[u8]) -> Answer {
        let outcome = match Body::parse(body) {
            Ok(Body::One(message)) => self.one(message).await,
            Ok(Body::Batch(messages)) => self.batch(&messages).await,
            Err(refusal) => Err(refusal),
        };
        outcome.unwrap_or_else(Answer::from)
    }

    async fn one(&self, raw: &RawValue) -> Result<Answer, Refusal> {
        match Message::parse(raw)? {
            Message::Request(request) => {
                let answer = self.request(&request).await;
                answer.map_err(|refusal| refusal.about(Some(request.id)))
            }
            Message::Notification(notification) => {
                self.take(claims(&notification.params))?;
                Ok(Answer::accepted())
            }
            Message::Response => {
                self.take(false)?;
                Ok(Answer::accepted())
            }
        }
    }

    /// Checks the headers of a message that gets no answer. The modern revision demands
    /// none there; but a named version must be one that is served.
    fn take(&self, claimed: bool) -> Result<(), Refusal> {
        match self.headers.protocol_version.as_deref() {
            Some(MODERN) => Ok(()),
            None if claimed => Ok(()),
            _ if claimed => legacy::check_version(self.headers),
            _ => legacy::check_headers(self.headers),
        }
    }

    async fn request(&self, request: &Request) -> Result<Answer, Refusal> {
        if claims(&request.params) {
            return modern::answer(self, request).await;
        }
        // Revisions are dates, so later ones compare greater.
        if let Some(version) = self.headers.protocol_version.as_deref()
            && version >= MODERN
        {
            return Err(unclaimed(request, version));
        }
        legacy::check_accept(self.headers)?;
        // The handshake itself settles the version.
        if request.method != "initialize" {
            legacy::check_version(self.headers)?;
        }
        let result = legacy::result(self, request).await?;
        Ok(Answer::result(&request.id, &result))
    }

    /// Answers a batch, which only the oldest revisions have.
    async fn batch(&self, messages: &[&RawValue]) -> Result<Answer, Refusal> {
        let invalid = |what: &str| Refusal::new(400, ErrorCode::InvalidRequest, what);
        let no_batches = || invalid("Invalid request: this protocol version has no batches");
        if self.headers.protocol_version.as_deref() == Some(MODERN) {
            return Err(no_batches());
        }
        legacy::check_headers(self.headers)?;
        if !legacy::knows_batches(self.headers) {
            return Err(no_batches());
        }
        if messages.is_empty() {
            return Err(invalid("Invalid request: the batch is empty"));
        }
        if messages.len() > MAX_BATCH {
            return Err(invalid(&format!(
                "Invalid request: at most {MAX_BATCH} messages per batch"
            )));
        }
        let parsed: Vec<_> = messages.iter().map(|raw| Message::parse(raw)).collect();
        for message in parsed.iter().flatten() {
            match message {
                Message::Request(request) if request.method == "initialize" => {
                    return Err(invalid(
                        "Invalid request: initialize cannot be part of a batch",
                    ));
                }
                Message::Request(Request { params, .. })
                | Message::Notification(Notification { params, .. })
                    if claims(params) =>
                {
                    return Err(no_batches());
                }
                Message::Request(_) | Message::Notification(_) | Message::Response => {}
            }
        }
        let mut answers = Vec::new();
        for message in parsed {
            match message {
                Ok(Message::Request(request)) => {
                    let result = legacy::result(self, &request).await;
                    answers.push(match result {
                        Ok(result) => Answer::result(&request.id, &result),
                        Err(refusal) => refusal.about(Some(request.id)).into(),
                    });
                }
                Ok(Message::Notification(_) | Message::Response) => {}
                Err(refusal) => answers.push(refusal.into()),
            }
        }
        if answers.is_empty() {
            return Ok(Answer::accepted());
        }
        let bodies: Vec<String> = answers
            .into_iter()
            .filter_map(|answer| answer.body)
            .collect();
        Ok(Answer {
            status: 200,
            body: Some(format!("[{}]", bodies.join(","))),
            needs: Vec::new(),
        })
    }
}

/// Returns whether params claim the modern generation.
fn claims(params: &Map<String, Value>) -> bool {
    let meta = params.get("_meta").and_then(Value::as_object);
    meta.is_some_and(|meta| meta.contains_key(VERSION_KEY))
}

/// The error for a modern header without the claim in the body.
fn unclaimed(request: &Request, header: &str) -> Refusal {
    if request.method == "initialize" {
        let asked = request.params.get("protocolVersion");
        return mismatch(VERSION_HEADER, Some(header), asked.and_then(Value::as_str));
    }
    let message = text::of_error(&format!(
        "params._meta lacks {VERSION_KEY}, which the header {VERSION_HEADER} says is {header:?}"
    ));
    let data = json!({"envelope": {"missing": [VERSION_KEY]}});
    Refusal::with_data(400, ErrorCode::InvalidParams.code(), &message, Some(data))
}
