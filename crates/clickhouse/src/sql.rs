//! Parts of statements. Every text from outside goes through [`text`];
//! everything else is a number or written here.

use std::{collections::BTreeSet, fmt::Write};

use slugline_analytics::{
    bounds::truncate,
    columns::{STORED, TEXTS, TextColumn, column_of},
    sampled::QuestionScope,
    visitor::VisitorHash,
};
use slugline_domain::{
    Choice, Degrees, Derivation, Destinations, Dimension, LinkId, Protection, Rule, Test,
    VisitFilter, ZoneOffsets, stats::DerivationRules,
};

/// A text as a literal. Within quotation marks ClickHouse interprets these
/// characters only. The zero byte is among them because programs on the way may
/// end a text there.
pub(crate) fn text(value: &str) -> String {
    let mut literal = String::with_capacity(value.len() + 2);
    literal.push('\'');
    for c in value.chars() {
        match c {
            '\\' => literal.push_str("\\\\"),
            '\'' => literal.push_str("\\'"),
            '\0' => literal.push_str("\\0"),
            other => literal.push(other),
        }
    }
    literal.push('\'');
    literal
}

/// The numeric columns, and the link.
pub(crate) const NUMBERS: &str = "ts_ms, link_id, visitor, sampling_interval, coherent";

/// The column of a dimension, or the expression that derives it from columns.
pub(crate) fn column(dimension: Dimension) -> String {
    match dimension.derivation() {
        None => dimension.column().to_owned(),
        Some(Derivation::Rules(rules)) => derived(rules),
        Some(Derivation::HostOfKey) => domain(),
    }
}

/// The domain of a link, by its key.
fn domain() -> String {
    let key = Dimension::Slug.column();
    let slash = format!("position({key}, '/')");
    format!("if({slash} = 0, '', substring({key}, 1, {slash} - 1))")
}

/// The value of the first rule that a visit meets.
fn derived(
    DerivationRules {
        rules, otherwise, ..
    }: &DerivationRules,
) -> String {
    let rules = rules
        .iter()
        .map(|rule| format!("{}, {}, ", meets(rule), text(rule.then)));
    format!("multiIf({}{})", rules.collect::<String>(), text(otherwise))
}

fn meets(rule: &Rule) -> String {
    let column = rule.of.column();
    match rule.test {
        Test::IsKnown => format!("{column} != ''"),
        Test::IsOneOf(texts) => {
            let texts: Vec<String> = texts.iter().map(|one| text(one)).collect();
            format!("lower({column}) IN ({})", texts.join(", "))
        }
        Test::IsSite(sites) => {
            let hosts: Vec<String> = sites.iter().map(|site| host_pattern(site)).collect();
            let pattern = format!("^(.*[.])?({})(:[0-9]+)?$", hosts.join("|"));
            format!("match(lower({column}), {})", text(&pattern))
        }
    }
}

/// The regular expression of a site's host.
fn host_pattern(site: &str) -> String {
    match site.strip_suffix(".*") {
        None => site.replace('.', "[.]"),
        Some(name) => name.replace('.', "[.]") + "([.][a-z]{2,3}){1,2}",
    }
}

/// The visits that meet a filter: the text after `FROM`. More conditions can follow after an `AND`.
/// Every statement about visits uses it, so none can show a hidden destination or have a condition
/// on one.
pub(crate) fn asked(filter: &VisitFilter) -> String {
    let from = filter
        .from
        .map(|from| format!(" AND ts_ms >= {}", from.start().get()));
    let until = filter
        .until
        .map(|until| format!(" AND ts_ms <= {}", until.start().get() + 999));
    let times = [from, until].into_iter().flatten();
    asked_in(filter, &times.collect::<String>())
}

/// The same with other conditions on time.
pub(crate) fn asked_in(filter: &VisitFilter, times: &str) -> String {
    let is_on_url = |(dimension, _): &&(Dimension, _)| *dimension == Dimension::Url;
    let on_url = on_texts(filter.values.iter().filter(is_on_url));
    let on_others = on_texts(filter.values.iter().filter(|value| !is_on_url(value)));
    let on_links = on_links(filter);
    let visits = format!("access_log WHERE 1{times}{on_links}{on_others}");
    match filter.destinations {
        Destinations::All => visits + &on_url,
        Destinations::Unprotected => {
            let columns = columns_with_hidden_urls();
            format!("(SELECT {columns} FROM {visits}) WHERE 1{on_url}")
        }
    }
}

/// The gaps that concern a question, as a table with conditions; `None` if it asks about no time.
pub(crate) fn gaps_of(filter: &VisitFilter) -> Option<String> {
    let (from, until) = QuestionScope::by(filter).minutes()?;
    let links = condition("link_id", &filter.links, |ids| {
        ids.iter().map(|id| text(id.as_str())).collect()
    });
    let is_on_key =
        |(dimension, _): &&(Dimension, _)| [Dimension::Slug, Dimension::Domain].contains(dimension);
    let slugs = on_texts(filter.values.iter().filter(is_on_key));
    Some(format!(
        "slugline_gap WHERE until_minute >= {from} AND from_minute <= {until} \
         AND (link_id = '' OR {links}{slugs})"
    ))
}

/// Every column, with an empty text for destinations of visits that do not say that there was no
/// password.
fn columns_with_hidden_urls() -> String {
    let none = text(Protection::None.as_str());
    let text = |text: &TextColumn| {
        if text.dimension == Dimension::Url {
            format!(", if(protection = {none}, url, '') AS url")
        } else {
            format!(", {}", text.public_name())
        }
    };
    let texts: String = TEXTS[..STORED].iter().map(text).collect();
    format!("{NUMBERS}{texts}")
}

/// The conditions on texts.
fn on_texts<'v>(values: impl Iterator<Item = &'v (Dimension, Choice<String>)>) -> String {
    let conditions = values.map(|(dimension, choice)| {
        let literals = |values: &_| literals(*dimension, values);
        format!(" AND {}", condition(&column(*dimension), choice, literals))
    });
    conditions.collect()
}

/// The condition on links.
fn on_links(filter: &VisitFilter) -> String {
    if filter.links.is_everything() {
        return String::new();
    }
    let literals = |ids: &BTreeSet<LinkId>| ids.iter().map(|id| text(id.as_str())).collect();
    format!(" AND {}", condition("link_id", &filter.links, literals))
}

/// The condition that a column meets a choice of values.
fn condition<T>(
    column: &str,
    choice: &Choice<T>,
    literals: impl FnOnce(&BTreeSet<T>) -> Vec<String>,
) -> String {
    let (word, values, without_values) = match choice {
        // No row can have these values.
        Choice::AnyOf(values) => ("IN", values, "0"),
        Choice::NoneOf(values) => ("NOT IN", values, "1"),
    };
    match literals(values).as_slice() {
        [] => without_values.to_owned(),
        literals => format!("{column} {word} ({})", literals.join(", ")),
    }
}

/// Values as literals. Leaves out values that no row can have.
fn literals(dimension: Dimension, values: &BTreeSet<String>) -> Vec<String> {
    /// Greater than any coordinate. Numbers without bounds would become zero.
    const MAX_DEGREES: f64 = 1_000.0;

    let Some(place) = column_of(dimension) else {
        let tokens = values.iter().filter_map(|token| VisitorHash::parse(token));
        return tokens.map(|hash| hash.0.to_string()).collect();
    };
    if dimension.is_degrees() {
        let degrees = values.iter().filter_map(|value| value.parse::<f64>().ok());
        let degrees = degrees.filter(|degrees| degrees.abs() < MAX_DEGREES);
        let literal = |degrees| format!("toDecimal32('{}', 2)", Degrees::nearest(degrees));
        return degrees.map(literal).collect();
    }
    // Stored texts were cut at their bounds. So are the filter's, or a long URL
    // would not match itself.
    let max_bytes = TEXTS[place].max_bytes;
    let values = values.iter().map(|value| text(truncate(value, max_bytes)));
    values.collect()
}

/// The local time of a row in a zone, in seconds.
pub(crate) fn local_seconds(zone: &ZoneOffsets) -> String {
    let mut offset = String::new();
    let mut in_force = zone.first();
    for (at, next) in zone.changes() {
        let (at, seconds) = (at.get(), in_force.seconds());
        write!(offset, "ts_ms < {at}, {seconds}, ").expect("a text takes any text");
        in_force = *next;
    }
    let last = in_force.seconds();
    let offset = match offset.as_str() {
        "" => last.to_string(),
        changes => format!("multiIf({changes}{last})"),
    };
    format!("({} + {offset})", floor("ts_ms", 1_000))
}

/// A number divided and rounded down. ClickHouse rounds towards zero.
pub(crate) fn floor(number: &str, divisor: i64) -> String {
    format!("(intDiv({number}, {divisor}) - ({number} % {divisor} < 0))")
}

#[cfg(test)]
mod tests {
    use slugline_domain::{LinkId, UnixMillis, UtcOffset};
    use slugline_testkit::questions;

    use super::*;

    #[test]
    fn a_literal_cannot_be_left() {
        assert_eq!(text("it's"), r"'it\'s'");
        assert_eq!(text(r"\' OR 1=1 --"), r"'\\\' OR 1=1 --'");
        assert_eq!(text("\\"), r"'\\'");
        assert_eq!(text("a\0b\nü"), "'a\\0b\nü'");
    }

    #[test]
    fn values_that_none_can_have_match_nothing() {
        let filter = questions::having;
        let nothing = "access_log WHERE 1 AND 0";
        assert_eq!(asked(&filter(Dimension::Ip, "1) OR (1")), nothing);
        for no_degrees in ["1) OR (1", "NaN", "inf", "1e300"] {
            assert_eq!(asked(&filter(Dimension::Latitude, no_degrees)), nothing);
        }
        assert_eq!(
            asked(&filter(Dimension::Latitude, "51.314")),
            "access_log WHERE 1 AND latitude IN (toDecimal32('51.31', 2))"
        );
    }

    #[test]
    fn an_exclusion_of_nothing_is_no_condition() {
        let filter = |links: Choice<LinkId>, value: &str| VisitFilter {
            links,
            values: vec![(Dimension::Ip, Choice::none_of([value.to_owned()]))],
            ..VisitFilter::default()
        };
        assert_eq!(
            asked(&filter(Choice::default(), "1) OR (1")),
            "access_log WHERE 1 AND 1"
        );
        assert_eq!(
            asked(&filter(Choice::any_of([]), "000000000000000a")),
            "access_log WHERE 1 AND 0 AND visitor NOT IN (10)"
        );
    }

    #[test]
    fn long_values_are_cut_as_stored_ones_are() {
        let filter = questions::having(Dimension::Referer, &"a".repeat(500));
        let expected = format!("access_log WHERE 1 AND referer IN ('{}')", "a".repeat(128));
        assert_eq!(asked(&filter), expected);
    }

    #[test]
    fn a_hidden_destination_is_an_empty_text_before_anything_asks_for_it() {
        let filter = VisitFilter {
            values: vec![
                (Dimension::Url, Choice::any_of([String::new()])),
                (Dimension::Slug, Choice::any_of(["docs".to_owned()])),
            ],
            destinations: Destinations::Unprotected,
            ..VisitFilter::default()
        };
        let all = asked(&filter);
        let columns = ", slug, if(protection = 'none', url, '') AS url, user_agent, ";
        assert!(all.contains(columns), "{all}");
        let end = "FROM access_log WHERE 1 AND slug IN ('docs')) WHERE 1 AND url IN ('')";
        assert!(all.ends_with(end), "{all}");
    }

    #[test]
    fn offsets_apply_up_to_the_moment_of_their_change() {
        let offset = |seconds| UtcOffset::from_seconds(seconds).unwrap();
        let zone = ZoneOffsets::new(offset(60), vec![(UnixMillis::new(5), offset(-60))]);
        assert!(local_seconds(&zone).ends_with("+ multiIf(ts_ms < 5, 60, -60))"));
        assert!(local_seconds(&ZoneOffsets::fixed(offset(-60))).ends_with("+ -60)"));
    }
}
