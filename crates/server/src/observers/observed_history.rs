//! Former versions of links, telling the crowd of changes.

use std::sync::Arc;

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, FormerVersion, Keeping, Link, LinkId, LinkVersions, Purge, Reach, Revision,
    TrashQuery, UnixMillis,
    history::LinkHistory,
    ports::{Insertion, StoreError, Version},
};

use super::crowd::Crowd;

/// The same history, telling the crowd of each link that was brought back or erased. Nobody in the
/// crowd, and it is the history itself.
pub(crate) fn observed_history(
    history: Arc<dyn LinkHistory>,
    crowd: &Arc<Crowd>,
) -> Arc<dyn LinkHistory> {
    if crowd.is_empty() {
        return history;
    }
    let crowd = Arc::clone(crowd);
    Arc::new(ObservedHistory { history, crowd })
}

#[derive(Debug)]
struct ObservedHistory {
    history: Arc<dyn LinkHistory>,
    crowd: Arc<Crowd>,
}

#[async_trait]
impl LinkHistory for ObservedHistory {
    fn keeping(&self) -> Keeping {
        self.history.keeping()
    }

    async fn versions(&self, id: &LinkId) -> Result<LinkVersions, StoreError> {
        self.history.versions(id).await
    }

    async fn trash(&self, query: &TrashQuery) -> Result<Vec<FormerVersion>, StoreError> {
        self.history.trash(query).await
    }

    async fn bring_back(
        &self,
        reach: &Reach,
        link: &Link,
        last: Revision,
        note: &AuditNote,
    ) -> Result<Option<Insertion>, StoreError> {
        let brought = self.history.bring_back(reach, link, last, note).await?;
        if brought == Some(Insertion::Stored) {
            self.crowd.hear_change(note, &link.key);
        }
        Ok(brought)
    }

    async fn purge(
        &self,
        id: &LinkId,
        known: Option<&Version>,
        note: &AuditNote,
    ) -> Result<Purge, StoreError> {
        let purged = self.history.purge(id, known, note).await?;
        if let Purge::Purged(key) = &purged {
            self.crowd.hear_change(note, key);
        }
        Ok(purged)
    }

    async fn remove_old(&self, now: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        self.history.remove_old(now, limit).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use slugline_domain::ports::LinkStore;
    use slugline_testkit::{MemoryLinkStore, NOTE, key, link};

    use super::*;
    use crate::observers::{ObservedChange, Observer};

    struct Tells(Sender<String>);

    impl Observer for Tells {
        fn change(&mut self, change: &ObservedChange) {
            let _ = self.0.send(change.key.to_string());
        }
    }

    #[tokio::test]
    async fn links_that_come_back_and_links_that_are_erased_are_told() {
        let (tell, told) = channel();
        let crowd = Arc::new(Crowd::gather(vec![Box::new(Tells(tell))]).unwrap());
        let links = Arc::<MemoryLinkStore>::default();
        let history = observed_history(links.clone(), &crowd);
        let docs = link("docs").build();
        links.insert(&docs, &NOTE).await.unwrap();
        links.delete(&docs.key, &NOTE).await.unwrap();
        let back = Link {
            key: key("back"),
            revision: docs.revision.next(),
            ..docs.clone()
        };
        for _ in 0..2 {
            let everything = Reach::Everything;
            let brought = history.bring_back(&everything, &back, docs.revision, &NOTE);
            brought.await.unwrap();
        }
        for _ in 0..2 {
            history.purge(&docs.id, None, &NOTE).await.unwrap();
        }
        crowd.leave().await;
        let told: Vec<String> = told.try_iter().collect();
        assert_eq!(told, ["back", "back"]);
    }
}
