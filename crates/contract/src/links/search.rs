//! Searches links, counts them, and lists their tags.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::LinkStates;
use slugline_domain::{
    Destination, DestinationRules, DomainName, Link, LinkFilter, PageSize, SearchText,
    StatusFilter, Tag, TagCount, UnixSeconds,
};

use super::{
    Note,
    key::{host_schema, listed_domain, shown_domain},
    listing::Status,
    status::{BrokenView, StatusName},
};
use crate::{Problem, bounds::Bounds, scalars::IntOrString, sent::Sent, validation::Validation};

/// What to look for. A link must meet every condition that is given; without `q`
/// and `url` nothing is found.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchLinks {
    /// The conditions.
    #[serde(flatten)]
    pub conditions: CountLinks,
    /// Most links to return.
    #[schemars(range(min = 1, max = PageSize::MAX), extend("default" = PageSize::DEFAULT, "x-obvious" = true))]
    pub limit: Sent<IntOrString>,
}

/// Which links to count: all that are not over, or those that meet every condition.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CountLinks {
    /// Text in slug, URL, comment or a tag.
    #[schemars(length(max = SearchText::MAX_BYTES))]
    pub q: Sent<String>,
    /// A destination, whatever its query string.
    #[schemars(url, length(max = DestinationRules::DEFAULT_MAX_BYTES))]
    pub url: Sent<String>,
    /// Host of the domain; `*` for all, the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// Only links with this tag.
    #[schemars(length(min = 1, max = Tag::MAX_CHARS))]
    pub tag: Sent<String>,
    /// Only links of this status; current means all that are not over.
    #[schemars(extend("default" = "current", "x-obvious" = true))]
    pub status: Sent<Status>,
}

/// A destination too long for a query string.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["url"]))]
pub struct ExactUrlSearch {
    /// The destination to find whatever its query string.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_BYTES))]
    pub url: Sent<String>,
    /// Host of the domain; `*` for all, the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// Most links to return.
    #[schemars(range(min = 1, max = PageSize::MAX), extend("default" = PageSize::DEFAULT))]
    pub limit: Sent<IntOrString>,
}

impl SearchLinks {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<(LinkFilter, PageSize), Problem> {
        let mut validation = Validation::default();
        let search = self.conditions.search(&mut validation, bounds);
        let size = page_size(&mut validation, &self.limit);
        validation.finish(|| Some((search, size)))
    }
}

impl CountLinks {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<LinkFilter, Problem> {
        let mut validation = Validation::default();
        let search = self.search(&mut validation, bounds);
        validation.finish(|| Some(search))
    }

    /// An empty text is no condition.
    fn search(&self, validation: &mut Validation, bounds: &Bounds) -> LinkFilter {
        let text = validation.value(&["q"], &self.q);
        let text = text.filter(|text| !text.trim().is_empty());
        let to = |url: &String| Destination::parse(url, &bounds.destinations);
        // The use case narrows it to the caller.
        LinkFilter {
            text: text.and_then(|text| validation.member(&["q"], SearchText::parse(text))),
            destination: validation.optional(&["url"], &self.url, to),
            tag: validation.optional(&["tag"], &self.tag, |tag| Tag::parse(tag)),
            domain: listed_domain(validation, &self.domain),
            status: validation
                .value(&["status"], &self.status)
                .copied()
                .unwrap_or_default()
                .into(),
            ..LinkFilter::default()
        }
    }
}

impl ExactUrlSearch {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<(LinkFilter, PageSize), Problem> {
        let mut validation = Validation::default();
        let url = validation.required(&["url"], &self.url, |url| {
            Destination::parse(url, &bounds.destinations)
        });
        let size = page_size(&mut validation, &self.limit);
        let search = LinkFilter {
            destination: url,
            domain: listed_domain(&mut validation, &self.domain),
            status: StatusFilter::Current,
            ..LinkFilter::default()
        };
        validation.finish(|| Some((search, size)))
    }
}

pub(super) fn page_size(validation: &mut Validation, sent: &Sent<IntOrString>) -> PageSize {
    let size = validation.optional(&["limit"], sent, |IntOrString(number)| {
        PageSize::new(*number)
    });
    size.unwrap_or_default()
}

/// A link in short, as searches and lists for agents show it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FoundLink {
    /// The path of the short link.
    pub slug: String,
    /// The host of its domain; left out for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Where the link leads.
    pub url: String,
    /// Tags.
    pub tags: Vec<String>,
    /// A private note about the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// When the link expires, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration: Option<i64>,
    /// Present unless the link is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusName>,
    /// Present if the watch found the destination broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenView>,
}

impl FoundLink {
    /// Shows a link, and how it stands.
    pub fn of(link: &Link, states: &LinkStates) -> Self {
        Self {
            slug: link.key.slug.to_string(),
            domain: shown_domain(&link.key.domain),
            url: link.content.destination.to_string(),
            tags: link.content.tags.iter().map(ToString::to_string).collect(),
            comment: link.content.comment.as_ref().map(ToString::to_string),
            expiration: link.content.expires_at.map(UnixSeconds::get),
            status: StatusName::unless_active(states.status(link)),
            broken: states.failures(link).map(BrokenView::from),
        }
    }
}

/// Links that were found, by slug.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FoundLinks {
    /// The links.
    pub links: Vec<FoundLink>,
    /// Present if nothing was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Note,
}

impl FoundLinks {
    /// Shows links, and the [note](Self::note_on) on their search.
    pub fn new(links: &[Link], states: &LinkStates, note: Note) -> Self {
        let links = links.iter().map(|link| FoundLink::of(link, states));
        Self {
            links: links.collect(),
            note,
        }
    }

    /// Says of a search that looks for nothing that its answer tells nothing either.
    pub fn note_on(search: &LinkFilter) -> Note {
        (!search.looks_for_something()).then_some(
            "nothing was looked for: give q or url, which tag and status narrow down, or list links",
        )
    }
}

/// The links whose tags are listed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListTags {
    /// Host of the domain; `*` for all, the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
}

impl ListTags {
    /// Returns the domain; `None` for all.
    ///
    /// # Errors
    /// The text is not the name of a host.
    pub fn validate(&self) -> Result<Option<DomainName>, Problem> {
        let mut validation = Validation::default();
        let domain = listed_domain(&mut validation, &self.domain);
        validation.finish(|| Some(domain))
    }
}

/// A number of links.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct LinkCount {
    /// Links that meet every condition.
    pub count: u64,
}

/// A tag and how many links have it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TagCount")]
pub struct TagView {
    /// The tag.
    pub name: String,
    /// Links that have it, expired ones included.
    pub count: u64,
}

/// Every tag, by name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TagList {
    /// The tags.
    pub tags: Vec<TagView>,
}

impl TagList {
    /// Shows tags.
    pub fn new(counts: &[TagCount]) -> Self {
        let view = |count: &TagCount| TagView {
            name: count.tag.to_string(),
            count: count.links,
        };
        Self {
            tags: counts.iter().map(view).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        faults::paths,
        reader::{query_to_json, read},
    };

    fn search(query: &str) -> Result<(LinkFilter, PageSize), Problem> {
        read::<SearchLinks>(&query_to_json(query))?.validate(&Bounds::default())
    }

    #[test]
    fn empty_conditions_are_none_and_wrong_ones_are_named() {
        let (nothing, size) = search("q=").unwrap();
        assert!(nothing.text.is_none() && nothing.destination.is_none());
        assert!(FoundLinks::note_on(&nothing).is_some());
        let (narrowed, _) = search("tag=t&status=all").unwrap();
        assert!(FoundLinks::note_on(&narrowed).is_some());
        assert_eq!((nothing.status, size.get()), (StatusFilter::Current, 20));
        let (all, _) =
            search("q=%C3%9CBER&url=https://e.example/a&tag=T&status=all&limit=5").unwrap();
        assert_eq!(FoundLinks::note_on(&all), None);
        assert_eq!(all.text.unwrap().as_str(), "über");
        assert_eq!(all.tag.unwrap().as_str(), "t");
        for (query, path) in [
            (format!("q={}", "a".repeat(49)), "q"),
            ("url=nonsense".into(), "url"),
            ("url=".into(), "url"),
            ("tag=".into(), "tag"),
            ("status=old".into(), "status"),
            ("limit=0".into(), "limit"),
            ("q=a&q=b".into(), "q"),
        ] {
            assert_eq!(paths(search(&query)), [path], "{query}");
        }
    }
}
