//! Reads links from a file of any size, one after the other.

use std::{
    fmt,
    io::{self, BufRead, BufReader, Read},
    ops::ControlFlow,
};

use csv::StringRecord;
use jiff::tz::TimeZone;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
    value::SeqAccessDeserializer,
};
use serde_json::{Map, Value};
use slugline_domain::text::without_byte_order_mark;

use super::{
    link_text::{IgnoredNames, Links},
    member::Kind,
    moving::{ReadLink, begins_lines, member_of, read_lines, settle},
    read_links_error::ReadLinksError,
    table,
};
use crate::{
    Code, Problem,
    metered::metered,
    reader::read,
    source_start::skip_byte_order_mark,
    table_rows::{Row, Rows},
};

/// The form of a file of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFile {
    /// One JSON document or several, one after another.
    Documents,
    /// A table.
    Table,
    /// Lines that the SQL text for a database of another product writes.
    Lines,
}

impl LinkFile {
    /// Tells the form by the start of the file: a document of links begins with a bracket, and no table does.
    pub fn of_start(start: &[u8]) -> Self {
        match without_byte_order_mark(start).trim_ascii_start().first() {
            _ if begins_lines(start) => Self::Lines,
            Some(b'{' | b'[') | None => Self::Documents,
            Some(_) => Self::Table,
        }
    }
}

/// Reads the links of a file and passes each to `each`, until that breaks. Memory holds one link at a time.
/// Moments of other products that name no zone are in `zone`. Returns the unknown names of members or columns, which
/// were ignored.
///
/// # Errors
/// The source cannot be read, or does not have the given form. Links before the fault
/// were passed on.
pub fn read_links(
    form: LinkFile,
    source: impl Read,
    zone: &TimeZone,
    mut each: impl FnMut(ReadLink) -> ControlFlow<()>,
) -> Result<Vec<String>, ReadLinksError> {
    let (source, meter) = metered(source, "link", LONGEST_LINK);
    let mut indices = 0..;
    let each = &mut |line, found| {
        meter.begin_anew();
        let index = indices.next().expect("there are more numbers than links");
        each(ReadLink {
            index,
            line,
            ..found
        })
    };
    let mut names = IgnoredNames::default();
    match form {
        LinkFile::Documents => read_documents(BufReader::new(source), &mut names, zone, each),
        LinkFile::Table => read_table(source, &mut names, zone, each),
        LinkFile::Lines => read_lines(BufReader::new(source), zone, each),
    }?;
    Ok(names.into_names())
}

/// The most bytes from one link to the next.
const LONGEST_LINK: usize = 16 << 20;

/// Gets the line of each link of a table, and the link.
type Each<'e> = &'e mut dyn FnMut(Option<u64>, ReadLink) -> ControlFlow<()>;

/// Reads byte by byte, so the source has to be buffered.
fn read_documents(
    mut source: impl BufRead,
    names: &mut IgnoredNames,
    zone: &TimeZone,
    each: Each<'_>,
) -> Result<(), ReadLinksError> {
    skip_byte_order_mark(&mut source)?;
    let mut json = serde_json::Deserializer::from_reader(source);
    let mut links = Links {
        each: &mut |link| each(None, link),
        names,
        zone,
        stopped: false,
    };
    // `curl` writes the pages of an API one after another.
    let mut outcome = Document(&mut links).deserialize(&mut json);
    while outcome.is_ok() && json.end().is_err() {
        outcome = Document(&mut links).deserialize(&mut json);
    }
    match outcome {
        Ok(()) => Ok(()),
        Err(_) if links.stopped => Ok(()),
        Err(error) if error.is_io() => Err(io::Error::from(error).into()),
        Err(error) => Err(ReadLinksError::Broken(Problem::new(
            Code::InvalidJson,
            error.to_string(),
        ))),
    }
}

/// `{"version": …, "links": […], …}`, or a page of an API: `{"links": […], "pagination": …}` or a list.
struct Document<'d, 'e>(&'d mut Links<'e>);

impl<'de> DeserializeSeed<'de> for Document<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the members version and links")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, links: S) -> Result<(), S::Error> {
        self.0.deserialize(SeqAccessDeserializer::new(links))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<(), M::Error> {
        let (mut version, mut links) = (false, false);
        while let Some(name) = members.next_key::<String>()? {
            match name.as_str() {
                "version" => {
                    members.next_value::<String>()?;
                    version = true;
                }
                "pagination" => {
                    members.next_value::<IgnoredAny>()?;
                    version = true;
                }
                "links" if links => return Err(M::Error::duplicate_field("links")),
                "links" => {
                    members.next_value_seed(&mut *self.0)?;
                    links = true;
                }
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        match (version, links) {
            (_, false) => Err(M::Error::missing_field("links")),
            (false, true) => Err(M::Error::missing_field("version")),
            (true, true) => Ok(()),
        }
    }
}

fn read_table(
    source: impl Read,
    names: &mut IgnoredNames,
    zone: &TimeZone,
    each: Each<'_>,
) -> Result<(), ReadLinksError> {
    let mut rows = Rows::new(source)?;
    let header = rows.next()?;
    let header = match &header {
        Some(row) => cells_of(row)?,
        None => &StringRecord::new(),
    };
    let is_ours = |name: &str| table::column(name.trim()).is_some_and(|it| it.name == "slug");
    let is_foreign = !header.iter().any(is_ours);
    let columns = columns(header, names, is_foreign)?;
    while let Some(row) = rows.next()? {
        let cells = row.cells.as_ref();
        // Spreadsheets write empty rows below the last one.
        if cells.is_ok_and(|cells| cells.iter().all(str::is_empty)) {
            continue;
        }
        let found = match members_of(&row, &columns) {
            Ok(record) if is_foreign => settle(record, "table", zone),
            members => members
                .and_then(|members| read(&Value::Object(members)))
                .into(),
        };
        if each(Some(row.line), found).is_break() {
            break;
        }
    }
    Ok(())
}

fn cells_of(row: &Row) -> Result<&StringRecord, Problem> {
    let cells = row.cells.as_ref();
    cells.map_err(|fault| invalid_csv(format!("line {}: {fault}", row.line)))
}

/// Returns the members of the link in a row.
fn members_of(row: &Row, columns: &[Option<Column>]) -> Result<Map<String, Value>, Problem> {
    let cells = cells_of(row)?;
    if cells.len() != columns.len() {
        return Err(invalid_csv(format!(
            "line {}: the row has {} cells, the header {}",
            row.line,
            cells.len(),
            columns.len()
        )));
    }
    let members = columns.iter().zip(cells).filter_map(|(column, cell)| {
        let (name, kind) = (*column)?;
        let member = match name {
            // A client that only lists URLs lets the service choose the slugs.
            "slug" if cell.trim().is_empty() => Value::Null,
            _ => table::to_member(kind, cell)?,
        };
        Some((name.to_owned(), member))
    });
    Ok(members.collect())
}

type Column = (&'static str, Kind);

/// Returns the column of each cell; `None` for unknown columns. Spreadsheets are written by people
/// and by other programs, so `Slug` and `created at` are columns, too, and so is `shortCode` where
/// none is the slug; then the table is of another program, whose values are texts to be settled.
fn columns(
    header: &StringRecord,
    names: &mut IgnoredNames,
    is_foreign: bool,
) -> Result<Vec<Option<Column>>, ReadLinksError> {
    let broken = |detail| ReadLinksError::Broken(invalid_csv(detail));
    let ours = header.iter().filter_map(|name| table::column(name.trim()));
    let ours: Vec<&str> = ours.map(|part| part.name).collect();
    let mut columns = Vec::new();
    for name in header {
        let name = name.trim();
        let of_ours = || {
            let of_others = || table::column_of_others(name).filter(|it| !ours.contains(&it.name));
            let part = table::column(name).or_else(of_others)?;
            Some((part.name, part.kind))
        };
        let of_foreign = || member_of(name).map(|it| (it, table::kind(it).unwrap_or(Kind::Text)));
        let column = if is_foreign { of_foreign() } else { of_ours() };
        if let Some((known, _)) = column
            && columns.contains(&column)
        {
            return Err(broken(format!("the header names {known} twice")));
        }
        if column.is_none() {
            names.look_at_column(name).map_err(|near| {
                broken(format!(
                    "the header names {name:?}, which links do not have; did you mean {near}?"
                ))
            })?;
        }
        columns.push(column);
    }
    let known: Vec<&str> = columns.iter().flatten().map(|(name, _)| *name).collect();
    for required in ["slug", "url"] {
        let has_address = required == "slug" && known.contains(&"short");
        if !known.contains(&required) && !has_address {
            return Err(broken(format!(
                "the header does not name the column {required}; it names {}; it may name {}; \
                 call the column with that value {required}",
                header.iter().collect::<Vec<_>>().join(", "),
                table::names()
            )));
        }
    }
    Ok(columns)
}

fn invalid_csv(detail: String) -> Problem {
    Problem::new(Code::InvalidCsv, detail)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::bounds::Bounds;

    fn slugs(format: LinkFile, text: &str) -> (Vec<String>, Option<String>) {
        let mut slugs = Vec::new();
        let outcome = read_links(format, text.as_bytes(), &TimeZone::UTC, |read| {
            assert_eq!(read.index, slugs.len());
            let link = read.link.and_then(|link| link.validate(&Bounds::default()));
            slugs.push(match link {
                Ok(link) => link.slug.map_or_else(String::new, |slug| slug.to_string()),
                Err(problem) => format!("{:?} {}", read.line, problem.detail),
            });
            ControlFlow::Continue(())
        });
        (slugs, outcome.err().map(|error| error.to_string()))
    }

    #[test]
    fn documents_are_read_link_by_link_whatever_the_order_of_members() {
        let text = r#"{"count": 2, "links": [{"slug": "a", "url": "http://u/", "x": null}, {"slug": 5}],
            "extra": {"links": [1]}, "version": "1.0", "list_complete": true}"#;
        let (slugs, error) = slugs(LinkFile::Documents, text);
        assert_eq!(slugs[0], "a");
        assert!(slugs[1].starts_with("None "), "{}", slugs[1]);
        assert!(
            slugs[1].contains("slug: Invalid input: expected string"),
            "{}",
            slugs[1]
        );
        assert_eq!(error, None);
    }

    #[rstest]
    #[case(r#"{"version": "1.0"}"#, "missing field `links`")]
    #[case(r#"{"links": []}"#, "missing field `version`")]
    #[case(r#"{"version": 1, "links": []}"#, "invalid type: integer")]
    #[case(
        r#"{"version": "1", "links": {}}"#,
        "expected a list of links at line 1"
    )]
    #[case(
        r#"{"version": "1", "links": [], "links": []}"#,
        "duplicate field `links`"
    )]
    #[case(r#"{"version": "1", "links": []} x"#, "expected value")]
    #[case(r#"{"version": "1", "links": ["#, "EOF while parsing")]
    #[case("5", "expected an object with the members version and links")]
    fn documents_of_another_form_are_refused(#[case] text: &str, #[case] why: &str) {
        let (_, error) = slugs(LinkFile::Documents, text);
        let error = error.unwrap();
        assert!(error.contains(why), "{error}");
    }

    #[test]
    fn tables_are_read_row_by_row_with_their_lines() {
        let text = "\u{feff}url, slug ,note,comment,tags\r\nhttp://u/,a,x,\"1\n2\",\r\n\nhttp://u/,b,,,\"x,y\"\n,c,,,\n";
        let (slugs, error) = slugs(LinkFile::Table, text);
        assert_eq!(error, None);
        assert_eq!(slugs[..2], ["a", "b"]);
        assert!(slugs[2].starts_with("Some(6) url: "), "{}", slugs[2]);
    }

    #[rstest]
    #[case("shortCode,longUrl\na,http://u/\n", &[])]
    #[case("keyword,url,clicks\na,http://u/,5\n", &[])]
    #[case("Back-half,Long URL\na,http://u/\n", &[])]
    #[case("Key;Destination URL;short_url\na;http://u/;https://sl.example/a\n", &[])]
    #[case(
        "createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n\
         2026-01-01T00:00:00+00:00,,a,https://s.example/a,http://u/,T,x,5\n",
        &[]
    )]
    #[case("id,address,target,domain_id\n5,a,http://u/,\n", &["domain_id"])]
    #[case("alias,slug,url\nb,a,http://u/\n", &["alias"])]
    #[case("url,comments,slug\nhttp://u/,c,a\n", &[])]
    #[case("sep=;\r\nkeyword;url\r\na;http://u/\r\n", &[])]
    fn tables_of_other_programs_have_names_of_their_own(
        #[case] text: &str,
        #[case] ignored: &[&str],
    ) {
        let outcome = read_links(LinkFile::Table, text.as_bytes(), &TimeZone::UTC, |read| {
            let link = read.link.unwrap().validate(&Bounds::default()).unwrap();
            assert_eq!(link.slug.unwrap().as_str(), "a");
            ControlFlow::Continue(())
        });
        assert_eq!(outcome.unwrap(), ignored);
    }

    #[rstest]
    #[case(
        "slug\na\n",
        "does not name the column url; it names slug; it may name id, slug, url"
    )]
    #[case("", "does not name the column slug")]
    #[case("slug,url,slug\n", "names slug twice")]
    #[case(
        "slug,url,tgas\n",
        "the header names \"tgas\", which links do not have; did you mean tags?"
    )]
    #[case("slug,url,Slug\n", "names slug twice")]
    #[case("keyword,url,alias\n", "names slug twice")]
    #[case(
        "slug,\"url\na,b\n",
        "line 1: the quote that begins on line 1 is never closed"
    )]
    fn tables_of_another_form_are_refused(#[case] text: &str, #[case] why: &str) {
        let (_, error) = slugs(LinkFile::Table, text);
        let error = error.unwrap();
        assert!(error.contains(why), "{error}");
    }

    #[test]
    fn rows_that_cannot_be_read_are_told_by_their_lines_and_the_others_go_on() {
        let source: &[u8] =
            b"slug,url\r\na,http://u/,x\r\nb,\xff\r\nc,\"http://u/\"\r\n,,\r\n,\r\nd,u\r\n";
        let mut seen = Vec::new();
        let outcome = read_links(LinkFile::Table, source, &TimeZone::UTC, |read| {
            let link = read.link.and_then(|link| link.validate(&Bounds::default()));
            let said =
                link.map_or_else(|problem| problem.detail, |link| format!("{:?}", link.slug));
            seen.push((read.line.unwrap(), said));
            ControlFlow::Continue(())
        });
        assert!(outcome.is_ok());
        let starts: Vec<(u64, &str)> = seen
            .iter()
            .map(|(line, said)| (*line, said.split(" (").next().unwrap()))
            .collect();
        assert_eq!(
            starts,
            [
                (2, "line 2: the row has 3 cells, the header 2"),
                (3, "line 3: the text is not UTF-8; save the file as UTF-8"),
                (4, r#"Some(Slug("c"))"#),
                (7, "url: URL format is invalid"),
            ]
        );
    }

    #[test]
    fn no_link_vanishes_in_the_quotes_of_another() {
        let text =
            "slug,url,comment\na,http://u/,\nb,http://u/,\"open\nc,http://u/,\nd,http://u/,\n";
        let (slugs, error) = slugs(LinkFile::Table, text);
        assert_eq!(error, None);
        let unclosed = "Some(3) line 3: the quote that begins on line 3 is never closed; \
                        nothing after it was read";
        assert_eq!(slugs, ["a", unclosed]);
    }

    #[test]
    fn tables_of_spreadsheets_need_no_preparing() {
        let text = "\u{feff}Slug;URL;tags;expiration;owner;\r\n\
                    summer_sale;http://u/;spring;2027-01-01;x;\r\n\
                    ;http://u/;\"spring;shop\";2027-01-01T12:00:00+02:00;;\r\n;;;;;\r\n";
        let mut links = Vec::new();
        let ignored = read_links(LinkFile::Table, text.as_bytes(), &TimeZone::UTC, |read| {
            let link = read.link.and_then(|link| link.validate(&Bounds::default()));
            links.push(link.unwrap());
            ControlFlow::Continue(())
        });
        assert_eq!(ignored.unwrap(), ["owner"]);
        assert_eq!(links.len(), 2);
        assert_eq!(links[0].slug.as_ref().unwrap().as_str(), "summer_sale");
        assert_eq!(links[1].slug, None, "to be generated");
        let expiries = links
            .iter()
            .map(|link| link.content.expires_at.unwrap().get());
        assert_eq!(expiries.collect::<Vec<_>>(), [1_798_761_600, 1_798_797_600]);
        let tags = links[1]
            .content
            .tags
            .iter()
            .map(slugline_domain::Tag::as_str);
        assert_eq!(tags.collect::<Vec<_>>(), ["spring", "shop"]);
    }

    #[test]
    fn members_that_links_do_not_have_are_named_and_mistyped_ones_refused() {
        let text = r#"{"version": "1", "links": [{"slug": "a", "url": "http://u/", "clicks": 5},
            {"slug": "b", "url": "http://u/", "clicks": 6, "tgas": ["x"]}]}"#;
        let mut links = Vec::new();
        let ignored = read_links(
            LinkFile::Documents,
            text.as_bytes(),
            &TimeZone::UTC,
            |read| {
                links.push(
                    read.link
                        .map(drop)
                        .map_err(|problem| problem.issues[0].path.clone()),
                );
                ControlFlow::Continue(())
            },
        );
        assert_eq!(ignored.unwrap(), ["clicks"]);
        assert_eq!(links, [Ok(()), Err(vec!["tgas".to_owned()])]);
    }

    #[rstest]
    #[case(LinkFile::Documents, "{\"version\": \"1\", \"links\": [\"")]
    #[case(LinkFile::Table, "slug,url\na,\"")]
    fn an_endless_link_does_not_fill_the_memory(#[case] format: LinkFile, #[case] start: &str) {
        let source = start.as_bytes().chain(io::repeat(b'x'));
        let outcome = read_links(
            format,
            source,
            &TimeZone::UTC,
            |_| ControlFlow::Continue(()),
        );
        let Err(ReadLinksError::Unreadable(error)) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(error.to_string().contains("belong to one link"), "{error}");
    }

    #[rstest]
    #[case(
        LinkFile::Documents,
        r#"{"version":"1","links":[{"slug":"a","url":"u"},{"slug":"b","url":"u"},5"#
    )]
    #[case(LinkFile::Table, "slug,url\na,u\nb,u\nc\n")]
    fn reading_stops_when_told(#[case] format: LinkFile, #[case] text: &str) {
        let mut seen = 0;
        let outcome = read_links(format, text.as_bytes(), &TimeZone::UTC, |_| {
            seen += 1;
            if seen == 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert!(outcome.is_ok());
        assert_eq!(seen, 2);
    }

    /// Each product's file, with the addresses of its links, and members of the first.
    #[test]
    fn files_of_other_products_are_told_by_their_content() {
        let samples: Value = serde_json::from_str(include_str!("moving/samples.json")).unwrap();
        for sample in samples.as_array().unwrap() {
            let text = sample["text"].as_str().unwrap().as_bytes();
            let mut read = Vec::new();
            let outcome = read_links(LinkFile::of_start(text), text, &TimeZone::UTC, |it| {
                assert!(it.cuts.is_empty(), "{:?}", it.cuts);
                read.push(it.link.unwrap().validate(&Bounds::default()).unwrap());
                ControlFlow::Continue(())
            });
            outcome.unwrap();
            let shown = read
                .iter()
                .map(|it| format!("{}/{}", it.domain.as_str(), it.slug.as_ref().unwrap()));
            assert_eq!(sample["links"], shown.collect::<Value>());
            let wanted = crate::read::<crate::ImportLink>(&sample["first"]).unwrap();
            let wanted = wanted.validate(&Bounds::default()).unwrap();
            assert_eq!(read[0].content, wanted.content, "{sample}");
            assert_eq!(read[0].created_at, wanted.created_at, "{sample}");
        }
    }
}
