//! Listing links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{self as application, LinkPage};
use slugline_domain::{Link, PageSize, Tag};

use super::{
    LinkView, cursor,
    listing::{Listing, Sort, Status},
    search::page_size,
};
use crate::{IntOrString, check::Checks, problem::Problem, sent::Sent};

/// Which links, in which order, how many.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListLinks {
    /// Links per page.
    #[schemars(range(min = 1, max = PageSize::MAX), extend("default" = PageSize::DEFAULT))]
    pub limit: Sent<IntOrString>,
    /// Where to continue: the cursor of the previous page, with the same sort, tag and status.
    #[schemars(length(max = cursor::MAX_CHARS))]
    pub cursor: Sent<String>,
    /// Order of the links.
    #[schemars(extend("default" = "newest"))]
    pub sort: Sent<Sort>,
    /// Only links with this tag.
    #[schemars(length(min = 1, max = Tag::MAX_CHARS))]
    pub tag: Sent<String>,
    /// Only links that still lead somewhere, only expired ones, or all.
    #[schemars(extend("default" = "active"))]
    pub status: Sent<Status>,
}

impl ListLinks {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is of another type or out of bounds, or says that the cursor
    /// belongs to another listing.
    pub fn check(&self) -> Result<application::ListLinks, Problem> {
        let mut checks = Checks::default();
        let size = page_size(&mut checks, &self.limit);
        let cursor = checks.value(&["cursor"], &self.cursor);
        let listing = self.listing(&mut checks);
        checks.finish(|| Some(()))?;
        let after = cursor::read(cursor, &listing)?;
        Ok(application::ListLinks {
            size,
            order: listing.sort.into(),
            status: listing.status.into(),
            tag: listing.tag,
            after,
        })
    }

    fn listing(&self, checks: &mut Checks) -> Listing {
        let sort = checks.value(&["sort"], &self.sort);
        let status = checks.value(&["status"], &self.status);
        Listing {
            sort: sort.copied().unwrap_or_default(),
            status: status.copied().unwrap_or_default(),
            tag: checks.optional(&["tag"], &self.tag, |tag| Tag::parse(tag)),
        }
    }
}

/// A page of links.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{R}List")]
pub struct LinkList<R = LinkView> {
    /// The links in order.
    pub links: Vec<R>,
    /// Whether this is the last page.
    pub list_complete: bool,
    /// Where the next page starts; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl<R: for<'l> From<&'l Link>> LinkList<R> {
    /// Shows a page, with a cursor that continues the same listing.
    pub fn new(request: &ListLinks, page: &LinkPage) -> Self {
        let listing = request.listing(&mut Checks::default());
        Self {
            links: page.links.iter().map(R::from).collect(),
            list_complete: page.next.is_none(),
            cursor: page
                .next
                .as_ref()
                .map(|place| cursor::encode(place, &listing)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use slugline_domain::{LinkOrder, Position, Slug, UnixSeconds};

    use super::*;
    use crate::{Code, query_to_json, read};

    fn request(query: &str) -> Result<(ListLinks, application::ListLinks), Problem> {
        let request = read::<ListLinks>(&query_to_json(query))?;
        let checked = request.check()?;
        Ok((request, checked))
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
        ] {
            assert_eq!(
                request(wrong).unwrap_err().code,
                Code::ValidationError,
                "{wrong}"
            );
        }
        assert!(
            read::<ListLinks>(&json!({"limit": 5}))
                .unwrap()
                .check()
                .is_ok()
        );
    }

    #[test]
    fn all_faults_are_listed_at_once() {
        let problem = request("limit=x&sort=up&tag=&status=old&cursor=a&cursor=b").unwrap_err();
        let paths: Vec<&str> = problem.issues.iter().map(|i| i.path[0].as_str()).collect();
        assert_eq!(paths, ["limit", "cursor", "sort", "status", "tag"]);
    }

    #[test]
    fn a_cursor_continues_only_its_own_listing() {
        let place = Position {
            created_at: UnixSeconds::new(7).unwrap(),
            slug: Slug::parse("docs").unwrap(),
        };
        let (asked, _) = request("sort=az&tag=%C3%9Cber,uns&status=all").unwrap();
        let page = LinkPage {
            links: Vec::new(),
            next: Some(place.clone()),
        };
        let cursor = LinkList::<LinkView>::new(&asked, &page).cursor.unwrap();
        assert!(
            cursor
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        );

        let again = format!("sort=az&tag=%C3%BCber,uns&status=all&limit=3&cursor={cursor}");
        assert_eq!(request(&again).unwrap().1.after, Some(place));
        for other in [
            "sort=za&tag=%C3%BCber,uns&status=all",
            "sort=az&status=all",
            "sort=az&tag=%C3%BCber,uns",
        ] {
            let mixed = request(&format!("{other}&cursor={cursor}")).unwrap_err();
            assert_eq!(mixed.code, Code::InvalidCursor, "{other}");
        }
        assert_eq!(
            request("cursor=nonsense").unwrap_err().code,
            Code::InvalidCursor
        );
        assert_eq!(
            request("cursor=%00%ff").unwrap_err().code,
            Code::InvalidCursor
        );
    }
}
