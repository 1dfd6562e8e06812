//! Tests of SQLite's query plans: each question uses an index, however many
//! links there are.

use std::sync::Mutex;

use rstest::rstest;
use rusqlite::Connection;
use sea_orm::{DbBackend, QueryTrait, Statement};
use slugline_domain::{
    Binding, DomainName, LinkFilter, LinkId, LinkOrder, ListQuery, Position, Reach, SearchText,
    StatusFilter, Tag, UnixSeconds,
};
use slugline_testkit::{NOON, destination, key};

use super::{
    find::{self, count_tags},
    list::{Page, page_of},
};
use crate::{
    database_url::DatabaseUrl,
    schema_connection::SchemaConnection,
    session::Session,
    sqlite::{bind, complete, statements::Statements},
};

pub(crate) struct Schema {
    _folder: tempfile::TempDir,
    connection: Mutex<Connection>,
}

impl Schema {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("links.db");
        let schema = SchemaConnection::open(&DatabaseUrl::File(file.clone())).await;
        let schema = schema.unwrap();
        schema.update().await.unwrap();
        Self {
            _folder: folder,
            connection: Mutex::new(Connection::open(file).unwrap()),
        }
    }

    /// The lines of the plan, joined by " / ".
    pub(crate) fn plan(&self, statement: &Statement) -> String {
        let explained = format!("EXPLAIN QUERY PLAN {}", statement.sql);
        let connection = self.connection.lock().unwrap();
        let mut explained = connection.prepare(&explained).unwrap();
        bind(&mut explained, statement).unwrap();
        let mut lines = explained.raw_query();
        let mut plan = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            plan.push(line.get::<_, String>("detail").unwrap());
        }
        plan.join(" / ")
    }

    fn execute(&self, statements: &str) {
        let connection = self.connection.lock().unwrap();
        connection.execute_batch(statements).unwrap();
    }

    fn plan_of_page(&self, query: &ListQuery) -> String {
        let session = Session::Sqlite(Statements(&self.connection));
        match complete(page_of(&session, query)).unwrap() {
            Page::One(select) => self.plan(&select.build(DbBackend::Sqlite)),
            Page::Merged(..) => panic!("{query:?} takes several statements"),
        }
    }

    fn plan_of_search(&self, filter: &LinkFilter) -> String {
        self.plan_of_page(&ListQuery {
            filter: filter.clone(),
            ..page(LinkOrder::SlugAscending)
        })
    }
}

const BY_TAG: &str = "SEARCH link_tags USING COVERING INDEX link_tags_tag (tag=?)";

pub(crate) fn begins(plan: &str, start: &str) {
    assert!(plan.starts_with(start), "{plan}");
}

fn by_index(plan: &str, index: &str) {
    begins(plan, &format!("SEARCH short_links USING INDEX {index}"));
}

fn holds(plan: &str, part: &str) {
    assert!(plan.contains(part), "{plan}");
}

fn page(order: LinkOrder) -> ListQuery {
    ListQuery {
        now: NOON,
        order,
        filter: filter(),
        after: None,
        limit: 20,
    }
}

fn filter() -> LinkFilter {
    LinkFilter {
        domain: Some(DomainName::DEFAULT),
        status: StatusFilter::All,
        ..LinkFilter::default()
    }
}

#[tokio::test]
async fn a_link_is_found_by_the_index_of_keys() {
    let find = find::select(&key("docs")).build(DbBackend::Sqlite);
    assert_eq!(
        Schema::new().await.plan(&find),
        "SEARCH short_links USING INDEX links_key (domain=? AND slug=?)"
    );
}

#[rstest]
#[case(LinkOrder::Newest, "links_time")]
#[case(LinkOrder::Oldest, "links_time")]
#[case(LinkOrder::SlugAscending, "links_key")]
#[case(LinkOrder::SlugDescending, "links_key")]
#[tokio::test]
async fn pages_are_read_in_the_order_of_an_index(#[case] order: LinkOrder, #[case] index: &str) {
    let schema = Schema::new().await;
    let first = schema.plan_of_page(&page(order));
    let expected = format!("SEARCH short_links USING INDEX {index} (domain=?)");
    assert_eq!(first, expected);
    let mut next = page(order);
    next.after = Some(Position {
        created_at: UnixSeconds::new(0).unwrap(),
        key: key("docs"),
    });
    let next = schema.plan_of_page(&next);
    by_index(&next, &format!("{index} (domain=? AND "));
    assert!(!next.contains("TEMP B-TREE"), "{next}");
}

#[tokio::test]
async fn links_of_a_tag_come_from_the_index_of_tags() {
    let mut query = page(LinkOrder::Newest);
    query.filter.tag = Some(Tag::parse("news").unwrap());
    let plan = Schema::new().await.plan_of_page(&query);
    assert!(plan.contains("link_tags"), "{plan}");
    assert!(!plan.contains("SCAN link_tags"), "{plan}");
}

#[rstest]
#[case(LinkOrder::Newest, "links_time")]
#[case(LinkOrder::SlugAscending, "links_key")]
#[tokio::test]
async fn a_page_of_a_common_tag_is_read_in_the_order_of_an_index(
    #[case] order: LinkOrder,
    #[case] index: &str,
) {
    const TAGGED: &str = "
        CREATE TEMP TABLE numbers AS WITH RECURSIVE n(value) AS (
            SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value <= 10000
        ) SELECT value FROM n;
        INSERT INTO short_links (id, slug, destination, folded_text, destination_key, created_at,
            updated_at)
        SELECT 'i' || value, 's' || value, '', '', '', value, value FROM numbers;
        INSERT INTO link_tags (link_id, tag) SELECT 'i' || value, 'news' FROM numbers";
    let schema = Schema::new().await;
    schema.execute(TAGGED);
    let mut query = page(order);
    query.filter.tag = Some(Tag::parse("news").unwrap());
    let common = schema.plan_of_page(&query);
    by_index(&common, &format!("{index} (domain=?)"));
    let few = "DELETE FROM link_tags WHERE link_id = 'i1'";
    schema.execute(few);
    let rarer = schema.plan_of_page(&query);
    by_index(&rarer, "sqlite_autoindex_short_links_1 (id=?)");
}

#[rstest]
#[tokio::test]
async fn chosen_links_are_found_by_the_index_of_keys(
    #[values(LinkOrder::Newest, LinkOrder::Oldest, LinkOrder::SlugAscending)] order: LinkOrder,
    #[values(None, Some("news"))] tag: Option<&str>,
    #[values(None, Some("shipping"))] text: Option<&str>,
    #[values(None, Some(DomainName::DEFAULT))] domain: Option<DomainName>,
) {
    let mut query = page(order);
    let keys = (0..500).map(|number| key(&format!("s{number}")));
    query.filter.keys = Some(keys.collect());
    query.filter.domain = domain;
    query.filter.tag = tag.map(|tag| Tag::parse(tag).unwrap());
    query.filter.text = text.map(|text| SearchText::parse(text).unwrap());
    let plan = Schema::new().await.plan_of_page(&query);
    by_index(&plan, "links_key (domain=? AND slug=?)");
}

#[tokio::test]
async fn a_text_is_looked_up_among_trigrams() {
    let mut wanted = filter();
    wanted.text = Some(SearchText::parse("shipping").unwrap());
    let plan = Schema::new().await.plan_of_search(&wanted);
    begins(&plan, "SEARCH short_links USING INTEGER PRIMARY KEY");
    holds(&plan, "SCAN link_search VIRTUAL TABLE INDEX");
}

#[tokio::test]
async fn a_destination_is_found_by_its_key() {
    let mut wanted = filter();
    wanted.destination = Some(destination("https://example.com/"));
    let plan = Schema::new().await.plan_of_search(&wanted);
    by_index(&plan, "links_destination");
}

#[tokio::test]
async fn tags_are_counted_along_their_index() {
    let count = count_tags(&Reach::Everything, None).build(DbBackend::Sqlite);
    let plan = Schema::new().await.plan(&count);
    assert_eq!(plan, "SCAN link_tags USING COVERING INDEX link_tags_tag");
}

#[tokio::test]
async fn the_ids_of_a_tag_are_read_along_its_index() {
    let schema = Schema::new().await;
    for tags in [&["news"][..], &["news", "sale"]] {
        let tags = tags.iter().map(|tag| Tag::parse(tag).unwrap());
        let tagged = find::tagged(&tags.collect(), 20).build(DbBackend::Sqlite);
        let plan = schema.plan(&tagged);
        begins(&plan, BY_TAG);
    }
}

#[rstest]
#[tokio::test]
async fn a_page_of_a_binding_begins_with_its_links(
    #[values(None, Some(DomainName::DEFAULT))] domain: Option<DomainName>,
    #[values(None, Some(DomainName::DEFAULT))] domains: Option<DomainName>,
) {
    let mut wanted = filter();
    wanted.domain = domain;
    let tags = ["news", "sale"].map(|tag| Tag::parse(tag).unwrap());
    let binding = Binding::new([LinkId::parse("one").unwrap()], tags, domains).unwrap();
    wanted.reach = Reach::bound(binding);
    let schema = Schema::new().await;
    for plan in [
        schema.plan_of_search(&wanted),
        schema.plan_of_page(&ListQuery {
            filter: wanted,
            ..page(LinkOrder::Newest)
        }),
    ] {
        by_index(&plan, "sqlite_autoindex_short_links_1 (id=?)");
        holds(&plan, BY_TAG);
    }
}
