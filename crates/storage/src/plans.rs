//! How SQLite finds what each question asks for: by an index, whatever the
//! number of links.

use rstest::rstest;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryTrait, Statement,
};
use slugline_domain::{
    LinkFilter, LinkOrder, ListQuery, Position, SearchText, StatusFilter, Tag, UnixSeconds,
};
use slugline_testkit::{NOON, destination, slug};

use crate::{
    Database,
    entity::link,
    links::{count_tags, select_page},
    search,
};

struct Schema {
    _folder: tempfile::TempDir,
    database: Database,
}

impl Schema {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("links.db");
        let database = Database::open_file(&file).await.unwrap();
        slugline_migrations::run(database.writer()).await.unwrap();
        Self {
            _folder: folder,
            database,
        }
    }

    /// The lines of the plan, joined by " / ".
    async fn plan(&self, statement: Statement) -> String {
        let explained = Statement {
            sql: format!("EXPLAIN QUERY PLAN {}", statement.sql),
            ..statement
        };
        let rows = self.database.reader().query_all_raw(explained).await;
        let detail = |row: &sea_orm::QueryResult| row.try_get::<String>("", "detail").unwrap();
        rows.unwrap()
            .iter()
            .map(detail)
            .collect::<Vec<_>>()
            .join(" / ")
    }

    async fn plan_of_page(&self, query: &ListQuery) -> String {
        self.plan(select_page(query).build(DbBackend::Sqlite)).await
    }

    async fn plan_of_search(&self, filter: &LinkFilter) -> String {
        let select = search::select(self.database.reader(), filter, 20).await;
        self.plan(select.unwrap().build(DbBackend::Sqlite)).await
    }
}

fn page(order: LinkOrder) -> ListQuery {
    ListQuery {
        order,
        tag: None,
        status: StatusFilter::All,
        now: NOON,
        after: None,
        limit: 20,
    }
}

fn filter() -> LinkFilter {
    LinkFilter {
        text: None,
        destination: None,
        tag: None,
        status: StatusFilter::All,
        now: NOON,
    }
}

#[tokio::test]
async fn a_link_is_found_by_the_index_of_slugs() {
    let find = link::Entity::find().filter(link::Column::Slug.eq("docs"));
    let plan = Schema::new()
        .await
        .plan(find.build(DbBackend::Sqlite))
        .await;
    assert_eq!(plan, "SEARCH links USING INDEX links_slug (slug=?)");
}

#[rstest]
#[case(LinkOrder::Newest, "links_newest")]
#[case(LinkOrder::SlugAscending, "links_slug")]
#[case(LinkOrder::SlugDescending, "links_slug")]
#[tokio::test]
async fn pages_are_read_in_the_order_of_an_index(#[case] order: LinkOrder, #[case] index: &str) {
    let schema = Schema::new().await;
    let first = schema.plan_of_page(&page(order)).await;
    assert_eq!(first, format!("SCAN links USING INDEX {index}"));
    let mut next = page(order);
    next.after = Some(Position {
        created_at: UnixSeconds::new(0).unwrap(),
        slug: slug("docs"),
    });
    let next = schema.plan_of_page(&next).await;
    assert!(
        next.starts_with(&format!("SEARCH links USING INDEX {index} (")),
        "{next}"
    );
    assert!(!next.contains("TEMP B-TREE"), "{next}");
}

#[tokio::test]
async fn links_of_a_tag_come_from_the_index_of_tags() {
    let mut query = page(LinkOrder::Newest);
    query.tag = Some(Tag::parse("news").unwrap());
    let plan = Schema::new().await.plan_of_page(&query).await;
    assert!(plan.contains("link_tags"), "{plan}");
    assert!(!plan.contains("SCAN link_tags"), "{plan}");
}

#[tokio::test]
async fn a_text_is_looked_up_among_trigrams() {
    let mut wanted = filter();
    wanted.text = Some(SearchText::parse("shipping").unwrap());
    let plan = Schema::new().await.plan_of_search(&wanted).await;
    assert!(
        plan.starts_with("SEARCH links USING INTEGER PRIMARY KEY"),
        "{plan}"
    );
    assert!(
        plan.contains("SCAN link_search VIRTUAL TABLE INDEX"),
        "{plan}"
    );
}

#[tokio::test]
async fn a_destination_is_found_by_its_key() {
    let mut wanted = filter();
    wanted.destination = Some(destination("https://example.com/"));
    let plan = Schema::new().await.plan_of_search(&wanted).await;
    assert!(
        plan.starts_with("SEARCH links USING INDEX links_destination"),
        "{plan}"
    );
}

#[tokio::test]
async fn tags_are_counted_along_their_index() {
    let count = count_tags().build(DbBackend::Sqlite);
    let plan = Schema::new().await.plan(count).await;
    assert_eq!(plan, "SCAN link_tags USING COVERING INDEX link_tags_tag");
}
