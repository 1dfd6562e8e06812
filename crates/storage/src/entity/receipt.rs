//! The answers to requests that clients may send again.

use sea_orm::{ActiveValue, entity::prelude::*};
use slugline_domain::{KeptAnswer, KeptRequest, RequestClaim, UnixMillis};

use crate::{
    failure::Failure,
    hexadecimal::{from_hexadecimal, hexadecimal},
};

table! {
    "idempotency_keys",
    #[sea_orm(primary_key, auto_increment = false)]
    caller: String,
    #[sea_orm(primary_key, auto_increment = false)]
    key: String,
    /// 32 bytes in hexadecimal.
    fingerprint: String,
    /// The millisecond from which the key is free.
    ends_at: i64,
    /// `None` while the request runs.
    status: Option<i64>,
    entity_tag: Option<String>,
    body: Option<String>,
}

/// The columns that another request under the same key writes anew.
pub(crate) const REWRITTEN: [Column; 5] = [
    Column::Fingerprint,
    Column::EndsAt,
    Column::Status,
    Column::EntityTag,
    Column::Body,
];

/// The row of a request that runs, or of its answer.
pub(crate) fn to_row(
    claim: &RequestClaim,
    answer: Option<&KeptAnswer>,
    until: UnixMillis,
) -> ActiveModel {
    ActiveModel {
        caller: ActiveValue::Set(claim.caller.clone()),
        key: ActiveValue::Set(claim.key.as_str().to_owned()),
        fingerprint: ActiveValue::Set(hexadecimal(&claim.fingerprint)),
        ends_at: ActiveValue::Set(until.get()),
        status: ActiveValue::Set(answer.map(|answer| answer.status.into())),
        entity_tag: ActiveValue::Set(answer.and_then(|answer| answer.entity_tag.clone())),
        body: ActiveValue::Set(answer.map(|answer| answer.body.clone())),
    }
}

pub(crate) fn to_kept(row: Model) -> Result<KeptRequest, Failure> {
    let status = row.status.map(u16::try_from).transpose();
    let status = status.map_err(|_| Failure::BadReceipt)?;
    Ok(KeptRequest {
        fingerprint: from_hexadecimal(&row.fingerprint).ok_or(Failure::BadReceipt)?,
        answer: status.map(|status| KeptAnswer {
            status,
            entity_tag: row.entity_tag,
            body: row.body.unwrap_or_default(),
        }),
        until: UnixMillis::new(row.ends_at),
    })
}
