//! Erases the visits of one link.

use std::sync::Arc;

use slugline_domain::{
    AuditNote, AuditedOperation, Author, Erasure, LinkId, Scope,
    ports::{AuditTrail, Clock, VisitEraser},
};

use crate::{
    access::{Access, Forbidden},
    error::Error,
    links::{LinkService, WhichLink},
};

/// Erases the visits of one link.
#[derive(Clone, Debug)]
pub struct VisitErasures {
    parts: Arc<VisitErasuresParts>,
}

/// The dependencies of [`VisitErasures`].
#[derive(Debug)]
pub struct VisitErasuresParts {
    /// Erases visits from the access log.
    pub eraser: Arc<dyn VisitEraser>,
    /// Finds the link of a key.
    pub links: LinkService,
    /// Holds the line of each erasure.
    pub trail: Arc<dyn AuditTrail>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

impl VisitErasures {
    /// The access rule of [`Self::erase`].
    pub const ERASE: Access = Access::outside_preview(Scope::Admin, Forbidden::EraseVisits);

    /// Creates the use case from its dependencies.
    pub fn new(parts: VisitErasuresParts) -> Self {
        Self {
            parts: Arc::new(parts),
        }
    }

    /// Erases every visit of a link that was recorded before the answer, and returns the link.
    /// Later visits are new. The line of the audit trail is written first: the access log is
    /// another database, and an erasure without a line would be worse than a line without one.
    ///
    /// # Errors
    /// Preview mode, no link has the slug, links still have to be moved here, or a store failed.
    /// After an error of the access log the visits may be erased or not: the caller asks again.
    pub async fn erase(
        &self,
        which: WhichLink,
        author: &Author,
    ) -> Result<(LinkId, Erasure), Error> {
        let VisitErasuresParts {
            eraser,
            links,
            trail,
            clock,
        } = self.parts.as_ref();
        links.permit(Self::ERASE)?;
        let (link, key) = match which {
            WhichLink::Key(key) => {
                let link = links.find(&key).await?;
                (link.id, Some(link.key))
            }
            WhichLink::Id(id) => (id, None),
        };
        let note = AuditNote::new(clock.now(), author, AuditedOperation::VisitsErase);
        trail.add(&note, key.as_ref()).await?;
        let erasure = eraser.erase(&link).await.map_err(Error::Erasure)?;
        Ok((link, erasure))
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{AuditFilter, AuditQuery, LinkKey};
    use slugline_testkit::{CountedVisits, assert_matches, key, link, newest_lines};

    use super::*;
    use crate::links::fixture::{Fixture, demonstration, fixture};

    fn erasures(fixture: &Fixture) -> (VisitErasures, Arc<CountedVisits>) {
        let log = Arc::<CountedVisits>::default();
        let erasures = VisitErasures::new(VisitErasuresParts {
            eraser: log.clone(),
            links: (**fixture.links).clone(),
            trail: fixture.store.clone(),
            clock: fixture.clock.clone(),
        });
        (erasures, log)
    }

    async fn lines(fixture: &Fixture) -> Vec<(String, Option<LinkKey>)> {
        let query = AuditQuery {
            filter: AuditFilter {
                operation: Some(AuditedOperation::VisitsErase),
                ..AuditFilter::default()
            },
            ..newest_lines(100)
        };
        let lines = fixture.store.lines(&query).await.unwrap();
        let shown = lines.into_iter().map(|line| (line.operation, line.key));
        shown.collect()
    }

    #[tokio::test]
    async fn visits_of_the_link_with_the_slug_are_erased_and_leave_a_line() {
        let fixture = fixture().holding(&link("docs").id("docs-1").build()).await;
        let (erasures, log) = erasures(&fixture);
        let which = WhichLink::Key(key("DOCS"));
        let erased = erasures.erase(which, &Author::operator()).await.unwrap();
        assert_eq!(erased, (LinkId::parse("docs-1").unwrap(), Erasure::Done));
        assert_eq!(log.erased(), [erased.0]);
        let line = ("visits.erase".to_owned(), Some(key("docs")));
        assert_eq!(lines(&fixture).await, [line]);
    }

    #[tokio::test]
    async fn a_link_that_is_gone_is_named_by_its_id() {
        let fixture = fixture();
        let (erasures, log) = erasures(&fixture);
        let missing = WhichLink::Key(key("gone"));
        let refused = erasures.erase(missing, &Author::operator()).await;
        assert_matches!(refused, Err(Error::LinkNotFound(_)));
        assert_eq!(log.erased(), []);
        let which = WhichLink::Id(LinkId::parse("gone-1").unwrap());
        erasures.erase(which, &Author::operator()).await.unwrap();
        assert_eq!(log.erased(), [LinkId::parse("gone-1").unwrap()]);
        assert_eq!(lines(&fixture).await, [("visits.erase".to_owned(), None)]);
    }

    #[tokio::test]
    async fn nothing_is_erased_without_a_line() {
        let fixture = fixture();
        let (erasures, log) = erasures(&fixture);
        let which = WhichLink::Id(LinkId::parse("gone-1").unwrap());
        fixture.file.break_down();
        let refused = erasures.erase(which, &Author::operator()).await;
        assert_matches!(refused, Err(Error::Store(_)));
        assert_eq!(log.erased(), []);
    }

    #[tokio::test]
    async fn a_failure_of_the_log_leaves_the_line_of_the_attempt() {
        let fixture = fixture();
        let (erasures, log) = erasures(&fixture);
        let which = WhichLink::Id(LinkId::parse("gone-1").unwrap());
        log.break_down();
        let failed = erasures.erase(which, &Author::operator()).await;
        assert_matches!(failed, Err(Error::Erasure(_)));
        assert_eq!(lines(&fixture).await.len(), 1);
    }

    #[tokio::test]
    async fn a_demonstration_lets_nobody_erase() {
        let fixture = demonstration();
        let (erasures, _) = erasures(&fixture);
        let which = WhichLink::Id(LinkId::parse("gone-1").unwrap());
        let refused = erasures.erase(which, &Author::operator()).await;
        assert_matches!(refused, Err(Error::PreviewMode(Forbidden::EraseVisits)));
    }
}
