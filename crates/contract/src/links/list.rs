//! Lists links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{
    self as application, ListRequest, ListVisited, ListedPage, RangeStart, VisitRange, VisitedLink,
    VisitedPage,
};
use slugline_domain::{DomainName, Link, LinkKey, PageSize, SearchText, Slug, Tag, UnixSeconds};

use super::{
    LinkView, cursor,
    key::{host_schema, listed_domain},
    listing::{Listing, Sort, Status},
    search::page_size,
};
use crate::{
    Problem,
    issue::IssueCode,
    scalars::{IntOrString, UnixTime},
    sent::Sent,
    stats::SamplingView,
    validation::Validation,
};

/// Which links, in which order, how many.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListLinks {
    /// Links per page.
    #[schemars(range(min = 1, max = PageSize::MAX), extend("default" = PageSize::DEFAULT, "x-obvious" = true))]
    pub limit: Sent<IntOrString>,
    /// The cursor of the previous page.
    #[schemars(length(max = cursor::MAX_CHARS))]
    pub cursor: Sent<String>,
    /// Order of the links.
    #[schemars(extend("default" = "newest", "x-obvious" = true))]
    pub sort: Sent<Sort>,
    /// Host of the domain; `*` for all, the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// Only links with this tag.
    #[schemars(length(min = 1, max = Tag::MAX_CHARS))]
    pub tag: Sent<String>,
    /// Only links of this status; current means all that are not over.
    #[schemars(extend("default" = "current", "x-obvious" = true))]
    pub status: Sent<Status>,
    /// Text in slug, URL, comment or a tag.
    #[schemars(length(max = SearchText::MAX_BYTES))]
    pub q: Sent<String>,
    /// Up to 100 slugs, separated by commas.
    #[schemars(length(min = 1))]
    pub slugs: Sent<String>,
    /// With sort visits: first moment; 0 for any, 30 days if left out.
    pub start_at: Sent<UnixTime>,
    /// With sort visits: last moment or day; now if left out.
    pub end_at: Sent<UnixTime>,
}

impl ListLinks {
    /// The most slugs in one request.
    pub const MAX_SLUGS: usize = 100;

    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is of another type or out of bounds, or says that the cursor
    /// belongs to another listing.
    pub fn validate(&self) -> Result<ListRequest, Problem> {
        let mut validation = Validation::default();
        let size = page_size(&mut validation, &self.limit);
        let cursor = validation.value(&["cursor"], &self.cursor);
        let listing = self.listing(&mut validation);
        let (start, until) = self.range(&mut validation, listing.sort);
        validation.finish(|| Some(()))?;
        if let Some(order) = listing.sort.stored() {
            return Ok(ListRequest::Stored(application::ListLinks {
                size,
                order,
                after: cursor::read(cursor, &listing)?,
                filter: listing.filter(),
            }));
        }
        let fits = |range: &VisitRange| {
            start.is_none_or(|start| start == range.start())
                && until.is_none_or(|until| until >= range.until)
        };
        Ok(ListRequest::Visited(ListVisited {
            size,
            after: cursor::read_visited(cursor, &listing, fits)?,
            filter: listing.filter(),
            start: start.unwrap_or_default(),
            until,
        }))
    }

    fn listing(&self, validation: &mut Validation) -> Listing {
        let sort = validation.value(&["sort"], &self.sort);
        let status = validation.value(&["status"], &self.status);
        let text = validation.value(&["q"], &self.q);
        let text = text.filter(|text| !text.trim().is_empty());
        let domain = listed_domain(validation, &self.domain);
        Listing {
            sort: sort.copied().unwrap_or_default(),
            status: status.copied().unwrap_or_default(),
            tag: validation.optional(&["tag"], &self.tag, |tag| Tag::parse(tag)),
            text: text.and_then(|text| validation.member(&["q"], SearchText::parse(text))),
            keys: self.keys(validation, domain.as_ref()),
            domain,
        }
    }

    /// Slugs of the domain; of the default one if all are listed.
    fn keys(
        &self,
        validation: &mut Validation,
        domain: Option<&DomainName>,
    ) -> Option<Vec<LinkKey>> {
        let text = validation.value(&["slugs"], &self.slugs)?;
        let pieces = text.split(',').map(str::trim);
        let pieces: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
        let expected = || format!("1 to {} slugs, separated by commas", Self::MAX_SLUGS);
        let fault = match pieces.len() {
            0 => (IssueCode::TooSmall, "slugs names none".into(), expected()),
            1..=Self::MAX_SLUGS => {
                let parsed = pieces.into_iter().map(|piece| {
                    let slug = validation.member(&["slugs"], Slug::parse(piece))?;
                    Some(LinkKey::new(domain.cloned().unwrap_or_default(), slug))
                });
                return parsed.collect();
            }
            count => {
                let message = format!("slugs names {count}");
                (IssueCode::TooBig, message, expected())
            }
        };
        validation.note(&["slugs"], fault);
        None
    }

    /// Returns the start and the end of the range, if they were sent.
    fn range(
        &self,
        validation: &mut Validation,
        sort: Sort,
    ) -> (Option<RangeStart>, Option<UnixSeconds>) {
        let mut second = |member: &'static str, sent, end: fn(&UnixTime) -> _| {
            let moment: &UnixTime = validation.value(&[member], sent)?;
            if sort != Sort::Visits {
                let message = format!("{member} counts visits, which this order does not need");
                let expected = "sort=visits with it".into();
                validation.note(&[member], (IssueCode::Custom, message, expected));
            }
            (!moment.is_zero()).then(|| validation.member(&[member], end(moment)))
        };
        let from = second("startAt", &self.start_at, UnixTime::first).flatten();
        let until = second("endAt", &self.end_at, UnixTime::last).flatten();
        validation.in_order(("startAt", from), ("endAt", until));
        let ever = self.start_at.value().is_some_and(|sent| sent.is_zero());
        let start = from.map(RangeStart::At);
        (start.or(ever.then_some(RangeStart::Ever)), until)
    }
}

/// A page of links.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{R}List")]
pub struct LinkList<R = LinkView> {
    /// The links in order.
    pub links: Vec<ListedLink<R>>,
    /// True if this is the last page.
    pub list_complete: bool,
    /// Where the next page starts; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// The way visits were counted, where they are the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking: Option<RankingView>,
}

/// A link of a page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Listed{R}")]
pub struct ListedLink<R = LinkView> {
    /// The link.
    #[serde(flatten)]
    pub link: R,
    /// Visits under the link's key in the range of the ranking; absent in other orders, and where they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
}

/// The way visits were counted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Ranking")]
pub struct RankingView {
    /// First second, in Unix seconds, inclusive; absent when there is no beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_at: Option<i64>,
    /// Last second, inclusive. All pages of a listing share it.
    pub end_at: i64,
    /// False when so many slugs were visited that only the first 100,000 were ranked; links after them are ordered like those without visits.
    pub complete: bool,
    /// Tells if the visits, and so the order, are exact.
    pub sampling: SamplingView,
}

impl From<&VisitedPage> for RankingView {
    fn from(page: &VisitedPage) -> Self {
        Self {
            start_at: page.range.from.map(UnixSeconds::get),
            end_at: page.range.until.get(),
            complete: page.complete,
            sampling: page.sampling.into(),
        }
    }
}

impl<R> LinkList<R> {
    /// Shows a page, with a cursor that continues the same listing. `show` shows a link.
    pub fn new(request: &ListLinks, page: &ListedPage, show: impl Fn(&Link) -> R) -> Self {
        let listing = request.listing(&mut Validation::default());
        let listed = |link, visits| ListedLink {
            link: show(link),
            visits,
        };
        let (links, cursor, ranking) = match page {
            ListedPage::Stored(page) => {
                let links = page.links.iter().map(|link| listed(link, None));
                let next = page.next.as_ref();
                let cursor = next.map(|position| cursor::encode(position, &listing));
                (links.collect(), cursor, None)
            }
            ListedPage::Visited(page) => {
                let links = page.links.iter();
                let links = links.map(|VisitedLink { link, visits }| listed(link, *visits));
                let next = page.next.as_ref();
                let cursor = next.map(|position| cursor::encode_visited(position, &listing));
                (links.collect(), cursor, Some(page.into()))
            }
        };
        Self {
            links,
            list_complete: cursor.is_none(),
            cursor,
            ranking,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};
    use slugline_application::{LinkPage, VisitedPosition};
    use slugline_domain::{LinkOrder, Position, SamplingInterval, SamplingNote};
    use slugline_testkit::link;

    use super::*;
    use crate::{
        Code,
        faults::paths,
        reader::{query_to_json, read},
    };

    fn checked(query: &str) -> Result<(ListLinks, ListRequest), Problem> {
        let request = read::<ListLinks>(&query_to_json(query))?;
        let checked = request.validate()?;
        Ok((request, checked))
    }

    fn request(query: &str) -> Result<(ListLinks, application::ListLinks), Problem> {
        checked(query).map(|(asked, request)| match request {
            ListRequest::Stored(request) => (asked, request),
            ListRequest::Visited(request) => panic!("{request:?}"),
        })
    }

    fn by_visits(query: &str) -> Result<(ListLinks, ListVisited), Problem> {
        checked(&format!("sort=visits&{query}")).map(|(asked, request)| match request {
            ListRequest::Visited(request) => (asked, request),
            ListRequest::Stored(request) => panic!("{request:?}"),
        })
    }

    fn second(number: i64) -> UnixSeconds {
        UnixSeconds::new(number).unwrap()
    }

    #[test]
    fn defaults_bounds_and_empty_cursors() {
        let (_, plain) = request("cursor=&unknown=1").unwrap();
        assert_eq!(plain.size.get(), 20);
        assert_eq!(plain.order, LinkOrder::Newest);
        assert!(plain.after.is_none());
        assert_eq!(request("limit=1000").unwrap().1.size.get(), 1000);
        for wrong in [
            "limit=0",
            "limit=",
            "limit=1001",
            "limit=x",
            "limit=1&limit=2",
            "sort=up",
            "tag=",
            "slugs=",
            "slugs=,",
            "slugs=a,b%20c",
            "startAt=5",
            "sort=az&endAt=5",
            "sort=visits&startAt=5&endAt=4",
        ] {
            let refused = request(wrong).unwrap_err();
            assert_eq!(refused.code, Code::ValidationError, "{wrong}");
        }
        let number = read::<ListLinks>(&json!({"limit": 5})).unwrap();
        assert!(number.validate().is_ok());
    }

    #[test]
    fn all_faults_are_listed_at_once() {
        let wrong = request("limit=x&sort=up&tag=&status=old&cursor=a&cursor=b");
        assert_eq!(paths(wrong), ["limit", "cursor", "sort", "status", "tag"]);
    }

    #[test]
    fn a_cursor_continues_only_its_own_listing() {
        let position = Position {
            created_at: second(7),
            key: LinkKey::parse("docs").unwrap(),
        };
        let (asked, _) = request("sort=az&tag=%C3%9Cber,uns&status=all").unwrap();
        let page = ListedPage::Stored(LinkPage {
            links: Vec::new(),
            next: Some(position.clone()),
        });
        let list = LinkList::<LinkView>::new(&asked, &page, |link| link.into());
        let cursor = list.cursor.unwrap();
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        assert!(cursor.bytes().all(plain));

        let again = format!("sort=az&tag=%C3%BCber,uns&status=all&limit=3&cursor={cursor}");
        assert_eq!(request(&again).unwrap().1.after, Some(position));
        for other in [
            "sort=za&tag=%C3%BCber,uns&status=all",
            "sort=az&status=all",
            "sort=az&tag=%C3%BCber,uns",
            "sort=visits&tag=%C3%BCber,uns&status=all",
            "sort=az&tag=%C3%BCber,uns&status=all&q=a",
            "sort=az&tag=%C3%BCber,uns&status=all&slugs=a",
        ] {
            let mixed = checked(&format!("{other}&cursor={cursor}")).unwrap_err();
            assert_eq!(mixed.code, Code::InvalidCursor, "{other}");
        }
        for wrong in ["cursor=nonsense", "cursor=%00%ff"] {
            assert_eq!(request(wrong).unwrap_err().code, Code::InvalidCursor);
        }
    }
    #[test]
    fn texts_and_slugs_narrow_a_listing_down() {
        let (_, asked) = request("q=%20%C3%9CBER&slugs=a,%20B-1,,a&status=all").unwrap();
        assert_eq!(asked.filter.text.unwrap().as_str(), "\u{fc}ber");
        let slugs = asked.filter.keys.unwrap();
        let slugs: Vec<&str> = slugs.iter().map(|key| key.slug.as_str()).collect();
        assert_eq!(slugs, ["a", "B-1", "a"]);
        assert!(request("q=").unwrap().1.filter.text.is_none());
        let many = vec!["a"; 101].join(",");
        assert!(request(&format!("slugs={}", &many[2..])).is_ok());
        let wrong = request(&format!("slugs={many}&q={many}"));
        assert_eq!(paths(wrong), ["q", "slugs"]);
    }

    #[test]
    fn visits_count_in_the_range_that_was_sent_or_else_for_thirty_days() {
        let range = |query| by_visits(query).map(|(_, asked)| (asked.start, asked.until));
        assert_eq!(range(""), Ok((RangeStart::ThirtyDays, None)));
        assert_eq!(range("startAt=0&endAt=0"), Ok((RangeStart::Ever, None)));
        let sent = (RangeStart::At(second(5)), Some(second(9)));
        assert_eq!(range("startAt=5&endAt=9"), Ok(sent));
    }

    #[test]
    fn a_cursor_by_visits_keeps_its_range_and_refuses_another_one() {
        let position = VisitedPosition {
            visits: 3,
            link: Position {
                created_at: second(7),
                key: LinkKey::parse("docs").unwrap(),
            },
            range: VisitRange {
                from: Some(second(5)),
                until: second(9),
            },
        };
        let (asked, _) = by_visits("startAt=5&endAt=20&q=a").unwrap();
        let page = VisitedPage {
            links: vec![VisitedLink {
                link: link("docs").build(),
                visits: Some(3),
            }],
            next: Some(position.clone()),
            range: position.range,
            complete: true,
            sampling: SamplingNote {
                interval_max: SamplingInterval::EVERY,
                dropped: 1,
                damaged: 0,
                sketched: false,
            },
        };
        let page = ListedPage::Visited(page);
        let list = LinkList::<LinkView>::new(&asked, &page, |link| link.into());
        let shown = to_value(list).unwrap();
        assert_eq!(shown["links"][0]["slug"], "docs");
        assert_eq!(shown["links"][0]["visits"], 3);
        let sampling = json!({"interval_max": 1, "exact": false, "dropped": 1});
        assert_eq!(
            shown["ranking"],
            json!({"startAt": 5, "endAt": 9, "complete": true, "sampling": sampling})
        );
        let cursor = shown["cursor"].as_str().unwrap();
        for same in [
            "q=a&startAt=5&endAt=20",
            "q=A",
            "q=a&startAt=5",
            "q=a&endAt=9",
        ] {
            let again = by_visits(&format!("{same}&cursor={cursor}")).unwrap().1;
            assert_eq!(again.after, Some(position.clone()), "{same}");
        }
        for other in ["", "q=b", "q=a&startAt=6", "q=a&startAt=0", "q=a&endAt=8"] {
            let mixed = by_visits(&format!("{other}&cursor={cursor}")).unwrap_err();
            assert_eq!(mixed.code, Code::InvalidCursor, "{other}");
        }
    }
}
