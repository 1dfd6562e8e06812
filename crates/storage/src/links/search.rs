//! Searches, and the way in which each database finds links.

use std::collections::BTreeSet;

use sea_orm::{
    ColumnTrait, Condition, DbBackend, EntityTrait, QueryFilter, QuerySelect, Select, Statement,
    sea_query::{Expr, SimpleExpr},
};
use slugline_domain::{Binding, DomainName, LinkFilter, LinkId, SearchText, Tag, UnixSeconds};

use super::conditions::{
    bound_to, found_by_tag, has_any, has_tag, is_among, is_bound_to, with_status, with_tag,
};
use crate::{
    entity::{destination_key, link, tag},
    failure::Failure,
    session::Session,
};

/// Up to this number, the search checks candidates one by one. If more links hold a text,
/// reading links in order finds a page quickly.
const FEW: u64 = 5_000;

/// Up to this number, a page of the links of a tag begins with the tag. If more links have it,
/// reading links in the order of the page finds some of them soon.
const FEW_TAGGED: u64 = 10_000;

/// Counts the links that meet a filter.
pub(super) async fn count(
    session: &Session<'_>,
    filter: &LinkFilter,
    now: UnixSeconds,
) -> Result<u64, Failure> {
    let way = match &filter.keys {
        Some(_) => has_tag,
        None => with_tag,
    };
    let tagged = filter.tag.as_ref().map(way);
    let mut links = matching(session, filter, now, tagged).await?.select;
    if let Some(domains) = confined(filter) {
        links = links.filter(is_among(session.backend(), &domains));
    }
    let count = links
        .select_only()
        .column_as(link::Column::Number.count(), "links");
    let links = session.first::<i64>(&count).await?.unwrap_or(0);
    Ok(u64::try_from(links).unwrap_or(0))
}

/// The select of the links that meet a filter in every domain, in no order.
pub(super) struct Matching {
    pub(super) select: Select<link::Entity>,
    /// True if it begins with the few links that meet a condition of the filter.
    pub(super) is_narrow: bool,
}

/// The domains that a filter is confined to; `None` for all.
pub(super) fn confined(filter: &LinkFilter) -> Option<BTreeSet<DomainName>> {
    let bound = filter.reach.binding().map(Binding::domains);
    match (&filter.domain, bound.filter(|domains| !domains.is_empty())) {
        (None, None) => None,
        (None, Some(bound)) => Some(bound.clone()),
        (Some(one), _) if !filter.reach.reaches(one) => Some(BTreeSet::new()),
        (Some(one), _) => Some([one.clone()].into()),
    }
}

/// The select of the links that meet a filter, to be ordered and limited.
pub(super) async fn page(
    session: &Session<'_>,
    filter: &LinkFilter,
    now: UnixSeconds,
) -> Result<Matching, Failure> {
    let many = match &filter.tag {
        Some(tag) if filter.keys.is_none() => has_many(session, tag).await?,
        Some(_) | None => false,
    };
    let tagged = filter.tag.as_ref().map(|tag| {
        if many || filter.keys.is_some() {
            has_tag(tag)
        } else {
            found_by_tag(session.backend(), tag)
        }
    });
    let mut found = matching(session, filter, now, tagged).await?;
    found.is_narrow |= filter.tag.is_some() && !many;
    Ok(found)
}

/// Returns whether more than [`FEW_TAGGED`] links have a tag.
async fn has_many(session: &Session<'_>, tag: &Tag) -> Result<bool, Failure> {
    let beyond = tag::Entity::find()
        .select_only()
        .column(tag::Column::LinkId)
        .filter(tag::Column::Tag.eq(tag.as_str()))
        .offset(FEW_TAGGED)
        .limit(1);
    Ok(session.first::<LinkId>(&beyond).await?.is_some())
}

/// The select of the links that meet a filter. `tagged` is the condition for its tag.
async fn matching(
    session: &Session<'_>,
    filter: &LinkFilter,
    now: UnixSeconds,
    tagged: Option<Condition>,
) -> Result<Matching, Failure> {
    let mut select = link::select().filter(with_status(filter.status, now));
    let mut is_narrow = filter.keys.is_some() || filter.destination.is_some();
    if let Some(tagged) = tagged {
        select = select.filter(tagged);
    }
    if let Some(binding) = filter.reach.binding() {
        is_narrow |= !binding.is_of_whole_domains();
        select = select.filter(match &filter.keys {
            Some(_) => is_bound_to(binding),
            None => bound_to(binding),
        });
    }
    if let Some(destination) = &filter.destination {
        select = select.filter(link::Column::DestinationKey.eq(destination_key(destination)));
    }
    if let Some(keys) = &filter.keys {
        select = select.filter(has_any(keys));
    }
    if let Some(text) = &filter.text {
        let candidates = match &filter.keys {
            Some(_) => None,
            None => few(session, text).await?,
        };
        is_narrow |= candidates.is_some();
        select = select
            .filter(holds(session.backend(), text))
            .filter(Condition::all().add_option(candidates));
    }
    Ok(Matching { select, is_narrow })
}

/// Links that hold a text, checked one by one.
fn holds(backend: DbBackend, text: &SearchText) -> Condition {
    Condition::all().add(if backend == DbBackend::Sqlite {
        Expr::cust_with_values("instr(folded_text, ?) > 0", [text.as_str()])
    } else {
        Expr::cust_with_values("folded_text LIKE $1 ESCAPE '!'", [like_pattern(text)])
    })
}

/// The links that may hold a text, if they are few. PostgreSQL's planner knows its trigram index
/// and its statistics.
async fn few(session: &Session<'_>, text: &SearchText) -> Result<Option<SimpleExpr>, Failure> {
    if session.backend() != DbBackend::Sqlite {
        return Ok(None);
    }
    let source = Candidates::of(text);
    if source.count(session).await? > FEW {
        return Ok(None);
    }
    let among = format!("number IN ({})", source.numbers);
    Ok(Some(Expr::cust_with_values(among, [source.parameter])))
}

/// A query that finds the links that may hold a text without reading all in
/// order.
struct Candidates {
    /// Selects their numbers.
    numbers: &'static str,
    parameter: String,
}

impl Candidates {
    fn of(text: &SearchText) -> Self {
        match trigrams(text) {
            Some(query) => Self {
                numbers: "SELECT rowid FROM link_search WHERE link_search MATCH ? \
                          UNION ALL SELECT number FROM link_search_queue",
                parameter: query,
            },
            // The text is too short for the index. Reading the table in its own
            // order is still ten times faster than in the order of an index.
            None => Self {
                numbers: "SELECT number FROM short_links WHERE instr(folded_text, ?) > 0",
                parameter: text.to_string(),
            },
        }
    }

    /// The number of candidates, counted no further than needed.
    async fn count(&self, session: &Session<'_>) -> Result<u64, Failure> {
        let counting = format!("SELECT count(*) FROM ({} LIMIT ?)", self.numbers);
        let limit = i64::try_from(FEW + 1).unwrap_or(i64::MAX);
        let values = [self.parameter.as_str().into(), limit.into()];
        let statement = Statement::from_sql_and_values(DbBackend::Sqlite, counting, values);
        let found = session.rows::<i64>(statement).await?;
        Ok(found
            .first()
            .map_or(0, |&found| u64::try_from(found).unwrap_or(0)))
    }
}

/// The search as a query of the trigram index, which holds every three
/// characters in a row. `None` for shorter texts.
fn trigrams(text: &SearchText) -> Option<String> {
    let characters: Vec<char> = text.as_str().chars().collect();
    let quoted = characters.windows(3).map(|three| {
        let three: String = three.iter().collect();
        format!("\"{}\"", three.replace('"', "\"\""))
    });
    let query = quoted.collect::<Vec<_>>().join(" AND ");
    (!query.is_empty()).then_some(query)
}

fn like_pattern(text: &SearchText) -> String {
    let mut pattern = String::from("%");
    for character in text.as_str().chars() {
        if matches!(character, '!' | '%' | '_') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use slugline_domain::{Keeping, Link, LinkOrder, ListQuery, Reach, StatusFilter};
    use slugline_testkit::{NOON, NOTE, link};

    use super::*;
    use crate::{
        database_url::DatabaseUrl,
        links::{insert_many::InsertLinks, list::list},
        schema_connection::SchemaConnection,
        session::{Read, Seen},
        sqlite::{Sqlite, SqliteFile},
    };

    fn filter(text: &str) -> LinkFilter {
        LinkFilter {
            text: SearchText::parse(text).ok(),
            status: StatusFilter::All,
            ..LinkFilter::default()
        }
    }

    fn listing(text: &str, order: LinkOrder) -> impl Read<Vec<Link>> {
        let query = ListQuery {
            now: NOON,
            order,
            filter: filter(text),
            after: None,
            limit: 20,
        };
        async move |session: &Session<'_>| list(session, &query).await
    }

    #[tokio::test]
    async fn a_search_that_reads_every_link_ends_at_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("links.db");
        let schema = SchemaConnection::open(&DatabaseUrl::File(path.clone())).await;
        schema.unwrap().update().await.unwrap();
        let file = SqliteFile::new(&path);
        let store = Sqlite::open_for_reads_up_to(Duration::ZERO, file).unwrap();
        let links = (0..5_000).map(|i| link(&format!("l{i}")).id(&i.to_string()).build());
        let links: Vec<_> = links.collect();
        let everything = Reach::Everything;
        let insert = InsertLinks::new(&everything, &links, &NOTE, Keeping::default());
        let insert = async move |session: &Session<'_>| insert.apply(session).await;
        let inserted = store.writer.change(insert, Seen::ByCaches).await;
        assert!(inserted.unwrap().is_some());

        // No link holds the text, so nothing ends the reading but the limit.
        let too_slow = |failure: &Failure| matches!(failure, Failure::TooSlow(_));
        for text in ["zz", "z"] {
            for order in [LinkOrder::SlugAscending, LinkOrder::Newest] {
                let read = store.readers.read(listing(text, order)).await;
                assert!(too_slow(&read.unwrap_err()));
            }
            let filter = filter(text);
            let counting = async move |session: &Session<'_>| count(session, &filter, NOON).await;
            assert!(too_slow(&store.readers.read(counting).await.unwrap_err()));
        }
        let none = listing("zzz", LinkOrder::SlugAscending);
        assert!(store.readers.read(none).await.unwrap().is_empty());
    }

    fn text(text: &str) -> SearchText {
        SearchText::parse(text).unwrap()
    }

    #[test]
    fn trigrams_are_quoted_and_short_texts_have_none() {
        assert_eq!(trigrams(&text("ab")), None);
        assert_eq!(trigrams(&text("abcd")).unwrap(), r#""abc" AND "bcd""#);
        assert_eq!(trigrams(&text("a\"b")).unwrap(), r#""a""b""#);
    }

    #[test]
    fn wildcards_are_escaped() {
        assert_eq!(like_pattern(&text("50%_x!")), "%50!%!_x!!%");
    }
}
