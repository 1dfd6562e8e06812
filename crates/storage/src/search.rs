//! Searches, and the way each database finds what meets them.

use sea_orm::{
    ColumnTrait, Condition, DatabaseConnection, DbBackend, DbErr, EntityTrait, FromQueryResult,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select, Statement, sea_query::Expr,
};
use slugline_domain::{LinkFilter, SearchText};

use crate::{
    conditions::{with_status, with_tag},
    entity::link,
    search_key::destination_key,
};

/// Up to this many candidates are looked at one by one. A text that more links
/// hold is found quickly by reading links in order.
const FEW: u64 = 5_000;

/// Links that a filter lets through, by slug.
pub(crate) async fn select(
    database: &DatabaseConnection,
    filter: &LinkFilter,
    limit: u32,
) -> Result<Select<link::Entity>, DbErr> {
    let select = matching(database, filter).await?;
    Ok(select
        .order_by_asc(link::Column::Slug)
        .limit(u64::from(limit)))
}

/// How many links a filter lets through.
pub(crate) async fn count(
    database: &DatabaseConnection,
    filter: &LinkFilter,
) -> Result<u64, DbErr> {
    matching(database, filter).await?.count(database).await
}

async fn matching(
    database: &DatabaseConnection,
    filter: &LinkFilter,
) -> Result<Select<link::Entity>, DbErr> {
    let mut select = link::Entity::find().filter(with_status(filter.status, filter.now));
    if let Some(tag) = &filter.tag {
        select = select.filter(with_tag(tag));
    }
    if let Some(destination) = &filter.destination {
        select = select.filter(link::Column::DestinationKey.eq(destination_key(destination)));
    }
    if let Some(text) = &filter.text {
        select = select.filter(holds(database, text).await?);
    }
    Ok(select)
}

async fn holds(database: &DatabaseConnection, text: &SearchText) -> Result<Condition, DbErr> {
    if database.get_database_backend() != DbBackend::Sqlite {
        // PostgreSQL's planner knows its trigram index and its statistics.
        let pattern = like_pattern(text);
        return Ok(Condition::all().add(Expr::cust_with_values(
            "search_text LIKE $1 ESCAPE '!'",
            [pattern],
        )));
    }
    let exactly = Expr::cust_with_values("instr(search_text, ?) > 0", [text.as_str()]);
    let condition = Condition::all().add(exactly);
    let source = Candidates::of(text);
    if source.count(database).await? > FEW {
        return Ok(condition);
    }
    let among = format!("number IN ({})", source.numbers);
    Ok(condition.add(Expr::cust_with_values(among, [source.parameter])))
}

/// A way to links that may hold a text, without going through all in order.
struct Candidates {
    /// Selects their numbers.
    numbers: &'static str,
    parameter: String,
}

impl Candidates {
    fn of(text: &SearchText) -> Self {
        match trigrams(text) {
            Some(query) => Self {
                numbers: "SELECT rowid FROM link_search WHERE link_search MATCH ?",
                parameter: query,
            },
            // Too short for the index; reading the table as it lies is still
            // ten times faster than reading it in the order of an index.
            None => Self {
                numbers: "SELECT number FROM links WHERE instr(search_text, ?) > 0",
                parameter: text.to_string(),
            },
        }
    }

    /// How many there are, counted no further than needed.
    async fn count(&self, database: &DatabaseConnection) -> Result<u64, DbErr> {
        #[derive(FromQueryResult)]
        struct Row {
            found: i64,
        }
        let counting = format!("SELECT count(*) AS found FROM ({} LIMIT ?)", self.numbers);
        let limit = i64::try_from(FEW + 1).unwrap_or(i64::MAX);
        let values = [self.parameter.as_str().into(), limit.into()];
        let statement = Statement::from_sql_and_values(DbBackend::Sqlite, counting, values);
        let row = Row::find_by_statement(statement).one(database).await?;
        Ok(row.map_or(0, |row| u64::try_from(row.found).unwrap_or(0)))
    }
}

/// The search as a query of the trigram index: every three characters in a row.
/// Shorter texts have none.
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
    use super::*;

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
