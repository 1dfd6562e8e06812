//! Writes what is stored about the keys of requests; the answers to changes in their transactions.

use sea_orm::{
    ColumnTrait, EntityTrait, QueryTrait,
    sea_query::{ExprTrait, OnConflict, SimpleExpr},
};
use slugline_domain::{AuditNote, Insertion, KeptAnswer, RequestClaim, UnixMillis};

use crate::{
    entity::receipt::{self, Column, Entity},
    failure::Failure,
    session::Session,
};

/// Writes the receipt of a change with these outcomes, if it leaves one. Fails if another request
/// has the key; the transaction is undone then.
pub(crate) async fn write_receipt(
    session: &Session<'_>,
    note: &AuditNote,
    outcomes: &[Insertion],
) -> Result<(), Failure> {
    let Some(receipt) = &note.receipt else {
        return Ok(());
    };
    let write = Write {
        claim: receipt.claim.clone(),
        answer: Some(receipt.answer(outcomes)),
        until: receipt.claim.kept_until(),
        taken_until: None,
    };
    if write.is_written(session).await? {
        Ok(())
    } else {
        Err(Failure::KeyInUse)
    }
}

/// Writes the row of a request, unless another one has the key.
pub(crate) struct Write {
    pub(crate) claim: RequestClaim,
    pub(crate) answer: Option<KeptAnswer>,
    /// The moment from which the key is free.
    pub(crate) until: UnixMillis,
    /// The moment until which this request has taken the key.
    pub(crate) taken_until: Option<UnixMillis>,
}

impl Write {
    pub(crate) async fn is_written(&self, session: &Session<'_>) -> Result<bool, Failure> {
        // Of two racing requests, the second waits for the first one to end, and finds its row.
        let unless_in_use = OnConflict::columns([Column::Caller, Column::Key])
            .update_columns(receipt::REWRITTEN)
            .action_and_where(self.may_replace())
            .to_owned();
        let row = receipt::to_row(&self.claim, self.answer.as_ref(), self.until);
        let insert = Entity::insert(row).on_conflict(unless_in_use);
        Ok(session.run(insert.build(session.backend())).await? > 0)
    }

    fn may_replace(&self) -> SimpleExpr {
        let free = Column::EndsAt.lte(self.claim.at.get());
        match self.taken_until {
            None => free,
            Some(until) => free.or(is_taken_until(until)),
        }
    }
}

/// A request runs under the key until this moment.
pub(crate) fn is_taken_until(until: UnixMillis) -> SimpleExpr {
    Column::Status.is_null().and(Column::EndsAt.eq(until.get()))
}
