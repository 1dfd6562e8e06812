//! Searches, and the way in which each database finds links.

use sea_orm::{
    ColumnTrait, Condition, DbBackend, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    Statement, sea_query::Expr,
};
use slugline_domain::{Link, LinkFilter, LinkId, SearchText, Slug, Tag, UnixSeconds};

use super::conditions::{bound_to, found_by_tag, has_tag, is_bound_to, with_status, with_tag};
use crate::{
    entity::{destination_key, link, tag},
    failure::Failure,
    session::{Read, Session},
};

/// Up to this number, the search checks candidates one by one. If more links hold a text,
/// reading links in order finds a page quickly.
const FEW: u64 = 5_000;

/// Up to this number, a page of the links of a tag begins with the tag. If more links have it,
/// reading links in the order of the page finds some of them soon.
const FEW_TAGGED: u64 = 10_000;

/// Finds the links that meet a filter, by slug.
#[derive(Debug)]
pub(super) struct SearchLinks {
    pub(super) filter: LinkFilter,
    pub(super) now: UnixSeconds,
    pub(super) limit: u32,
}

impl Read for SearchLinks {
    type Answer = Vec<Link>;

    async fn read<S: Session>(&self, session: &S) -> Result<Vec<Link>, Failure> {
        let select = select(session, &self.filter, self.now, self.limit).await?;
        links(session, select).await
    }
}

/// Counts the links that meet a filter.
#[derive(Debug)]
pub(super) struct CountLinks {
    pub(super) filter: LinkFilter,
    pub(super) now: UnixSeconds,
}

impl Read for CountLinks {
    type Answer = u64;

    async fn read<S: Session>(&self, session: &S) -> Result<u64, Failure> {
        let way = match &self.filter.slugs {
            Some(_) => has_tag,
            None => with_tag,
        };
        let tagged = self.filter.tag.as_ref().map(way);
        let count = matching(session, &self.filter, self.now, tagged)
            .await?
            .select_only()
            .column_as(link::Column::Number.count(), "links");
        let links = session.first::<i64>(&count).await?.unwrap_or(0);
        Ok(u64::try_from(links).unwrap_or(0))
    }
}

/// Reads the links of a select.
pub(super) async fn links(
    session: &impl Session,
    select: Select<link::Entity>,
) -> Result<Vec<Link>, Failure> {
    let rows = session.all::<link::Model>(&select).await?;
    let links = rows.into_iter().map(link::to_link);
    Ok(links.collect::<Result<_, _>>()?)
}

/// The select of a search.
pub(super) async fn select(
    session: &impl Session,
    filter: &LinkFilter,
    now: UnixSeconds,
    limit: u32,
) -> Result<Select<link::Entity>, Failure> {
    let select = page(session, filter, now).await?;
    Ok(select
        .order_by_asc(link::Column::Slug)
        .limit(u64::from(limit)))
}

/// The select of the links that meet a filter, to be ordered and limited.
pub(super) async fn page(
    session: &impl Session,
    filter: &LinkFilter,
    now: UnixSeconds,
) -> Result<Select<link::Entity>, Failure> {
    let tagged = match &filter.tag {
        None => None,
        Some(tag) if filter.slugs.is_some() || has_many(session, tag).await? => Some(has_tag(tag)),
        Some(tag) => Some(found_by_tag(session.backend(), tag)),
    };
    matching(session, filter, now, tagged).await
}

/// Returns whether more than [`FEW_TAGGED`] links have a tag.
async fn has_many(session: &impl Session, tag: &Tag) -> Result<bool, Failure> {
    let beyond = tag::Entity::find()
        .select_only()
        .column(tag::Column::LinkId)
        .filter(tag::Column::Tag.eq(tag.as_str()))
        .offset(FEW_TAGGED)
        .limit(1);
    Ok(session.first::<LinkId>(&beyond).await?.is_some())
}

/// The select of the links that meet a filter, in no order. `tagged` is the condition for its
/// tag.
async fn matching(
    session: &impl Session,
    filter: &LinkFilter,
    now: UnixSeconds,
    tagged: Option<Condition>,
) -> Result<Select<link::Entity>, Failure> {
    let mut select = link::select().filter(with_status(filter.status, now));
    if let Some(tagged) = tagged {
        select = select.filter(tagged);
    }
    if let Some(binding) = filter.reach.binding() {
        select = select.filter(match &filter.slugs {
            Some(_) => is_bound_to(binding),
            None => bound_to(binding),
        });
    }
    if let Some(destination) = &filter.destination {
        select = select.filter(link::Column::DestinationKey.eq(destination_key(destination)));
    }
    if let Some(slugs) = &filter.slugs {
        let slugs = slugs.iter().map(Slug::as_str);
        select = select.filter(link::Column::Slug.is_in(slugs));
    }
    if let Some(text) = &filter.text {
        select = select.filter(match &filter.slugs {
            Some(_) => holds_exactly(session.backend(), text),
            None => holds(session, text).await?,
        });
    }
    Ok(select)
}

/// Links that hold a text, checked one by one.
fn holds_exactly(backend: DbBackend, text: &SearchText) -> Condition {
    Condition::all().add(if backend == DbBackend::Sqlite {
        Expr::cust_with_values("instr(search_text, ?) > 0", [text.as_str()])
    } else {
        Expr::cust_with_values("search_text LIKE $1 ESCAPE '!'", [like_pattern(text)])
    })
}

async fn holds(session: &impl Session, text: &SearchText) -> Result<Condition, Failure> {
    let condition = holds_exactly(session.backend(), text);
    if session.backend() != DbBackend::Sqlite {
        // PostgreSQL's planner knows its trigram index and its statistics.
        return Ok(condition);
    }
    let source = Candidates::of(text);
    if source.count(session).await? > FEW {
        return Ok(condition);
    }
    let among = format!("number IN ({})", source.numbers);
    Ok(condition.add(Expr::cust_with_values(among, [source.parameter])))
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
                numbers: "SELECT number FROM links WHERE instr(search_text, ?) > 0",
                parameter: text.to_string(),
            },
        }
    }

    /// The number of candidates, counted no further than needed.
    async fn count(&self, session: &impl Session) -> Result<u64, Failure> {
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

    use slugline_domain::{ListQuery, Reach, StatusFilter};
    use slugline_testkit::{NOON, NOTE, link};

    use super::*;
    use crate::{
        database_url::DatabaseUrl,
        links::{insert_many::InsertLinks, list::ListLinks},
        schema_connection::SchemaConnection,
        sqlite::{Sqlite, SqliteFile},
    };

    fn filter(text: &str) -> LinkFilter {
        LinkFilter::default()
            .with_text(SearchText::parse(text).ok())
            .with_status(StatusFilter::All)
    }

    fn search(text: &str) -> SearchLinks {
        SearchLinks {
            filter: filter(text),
            now: NOON,
            limit: 20,
        }
    }

    fn page(text: &str) -> ListLinks {
        ListLinks(ListQuery::new(NOON, 20).with_filter(filter(text)))
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
        let inserted = store
            .change(InsertLinks::new(&Reach::Everything, &links, &NOTE))
            .await;
        assert!(inserted.unwrap().is_some());

        // No link holds the text, so nothing ends the reading but the limit.
        let too_slow = |failure: &Failure| matches!(failure, Failure::TooSlow(_));
        for text in ["zz", "z"] {
            assert!(too_slow(&store.read(search(text)).await.unwrap_err()));
            assert!(too_slow(&store.read(page(text)).await.unwrap_err()));
            let counting = CountLinks {
                filter: filter(text),
                now: NOON,
            };
            assert!(too_slow(&store.read(counting).await.unwrap_err()));
        }
        assert!(store.read(search("zzz")).await.unwrap().is_empty());
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
