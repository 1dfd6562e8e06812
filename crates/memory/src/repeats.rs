//! The store of answers to requests that clients may send again.

use async_trait::async_trait;
use slugline_domain::{
    IdempotencyKey, KeptAnswer, KeptRequest, RequestClaim, UnixMillis,
    ports::{ReceiptStore, StoreError},
};

use crate::MemoryLinkStore;

#[async_trait]
impl ReceiptStore for MemoryLinkStore {
    async fn kept(
        &self,
        caller: &str,
        key: &IdempotencyKey,
        now: UnixMillis,
    ) -> Result<Option<KeptRequest>, StoreError> {
        let state = self.open("find the answer to a request")?;
        let found = state.receipts.0.get(&(caller.to_owned(), key.clone()));
        Ok(found.filter(|kept| kept.until > now).cloned())
    }

    async fn take(&self, claim: &RequestClaim, until: UnixMillis) -> Result<bool, StoreError> {
        let mut state = self.open("take the key of a request")?;
        let is_free = state.receipts.is_free(claim, None);
        if is_free {
            state.receipts.put(claim, None, until);
        }
        Ok(is_free)
    }

    async fn keep(
        &self,
        claim: &RequestClaim,
        answer: &KeptAnswer,
        taken_until: Option<UnixMillis>,
    ) -> Result<bool, StoreError> {
        let mut state = self.open("keep the answer to a request")?;
        let is_free = state.receipts.is_free(claim, taken_until);
        if is_free {
            let answer = Some(answer.clone());
            state.receipts.put(claim, answer, claim.kept_until());
        }
        Ok(is_free)
    }

    async fn release(
        &self,
        claim: &RequestClaim,
        taken_until: UnixMillis,
    ) -> Result<(), StoreError> {
        let mut state = self.open("free the key of a request")?;
        let id = (claim.caller.clone(), claim.key.clone());
        let is_own = |kept: &KeptRequest| kept.answer.is_none() && kept.until == taken_until;
        if state.receipts.0.get(&id).is_some_and(is_own) {
            state.receipts.0.remove(&id);
        }
        Ok(())
    }

    async fn remove_free(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        let mut state = self.open("remove the answers to old requests")?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let free = state.receipts.0.iter();
        let free = free.filter(|(_, kept)| kept.until <= moment);
        let free: Vec<_> = free.map(|(id, _)| id.clone()).take(limit).collect();
        for id in &free {
            state.receipts.0.remove(id);
        }
        Ok(u64::try_from(free.len()).unwrap_or(u64::MAX))
    }
}
