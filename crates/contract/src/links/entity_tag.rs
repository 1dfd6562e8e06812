//! Entity tags: the version of a link, as HTTP's conditional requests name it.

use slugline_application::Precondition;
use slugline_domain::{Link, LinkId, Revision, ports::Version};

use crate::{
    Problem,
    issue::{Issue, IssueCode},
};

/// The value of an `ETag` header: a strong validator of RFC 9110 §8.8.3. Clients compare
/// it and do not look inside.
pub fn entity_tag(link: &Link) -> String {
    format!("\"{}\"", Version::of(link))
}

/// Reads the versions in the lines of an `If-Match` header (RFC 9110 §13.1.1).
///
/// # Errors
/// A line is neither `*` nor a list of entity tags.
pub fn if_match<'l>(lines: impl IntoIterator<Item = &'l [u8]>) -> Result<Precondition, Problem> {
    Ok(match Condition::read("If-Match", lines)? {
        None => Precondition::None,
        Some(Condition::Any) => Precondition::Exists,
        Some(Condition::OneOf(tags)) => {
            // §8.8.3.2 lets a weak tag match nothing here. Ours names one version all the same: nginx
            // and content networks weaken it when they compress an answer.
            Precondition::OneOf(tags.into_iter().filter_map(version).collect())
        }
    })
}

/// The versions of a link that a client has.
#[derive(Clone, Debug)]
pub struct KnownVersions {
    any: bool,
    versions: Vec<Version>,
}

impl KnownVersions {
    /// Returns whether the client has the current version of the link. No client has that of a link
    /// that counts visits: the count changes, and the version stays.
    pub fn include(&self, link: &Link) -> bool {
        let counts = link.content.life.max_visits.is_some();
        self.any || !counts && self.versions.contains(&Version::of(link))
    }
}

/// Reads the versions in the lines of an `If-None-Match` header (RFC 9110 §13.1.2).
///
/// # Errors
/// A line is neither `*` nor a list of entity tags.
pub fn if_none_match<'l>(
    lines: impl IntoIterator<Item = &'l [u8]>,
) -> Result<KnownVersions, Problem> {
    let condition = Condition::read("If-None-Match", lines)?;
    let any = matches!(condition, Some(Condition::Any));
    let tags = match condition {
        None | Some(Condition::Any) => Vec::new(),
        Some(Condition::OneOf(tags)) => tags,
    };
    let versions = tags.into_iter().filter_map(version).collect();
    Ok(KnownVersions { any, versions })
}

/// Returns the version in one of our tags. Other tags have none, so no link matches them.
fn version(opaque: &[u8]) -> Option<Version> {
    let text = std::str::from_utf8(opaque).ok()?;
    let (revision, id) = text.split_once('.')?;
    Some(Version {
        revision: Revision::new(revision.parse().ok()?),
        id: LinkId::parse(id).ok()?,
    })
}

enum Condition<'l> {
    Any,
    /// What stands in the quotes of each tag, weak or not.
    OneOf(Vec<&'l [u8]>),
}

impl<'l> Condition<'l> {
    /// Reads the lines of a header; `None` if there are none.
    fn read(
        name: &str,
        lines: impl IntoIterator<Item = &'l [u8]>,
    ) -> Result<Option<Self>, Problem> {
        let lines: Vec<&[u8]> = lines.into_iter().map(<[u8]>::trim_ascii).collect();
        if lines.is_empty() {
            return Ok(None);
        }
        if lines == [b"*"] {
            return Ok(Some(Self::Any));
        }
        let mut tags = Vec::new();
        for line in lines {
            read_tags(line, &mut tags).ok_or_else(|| malformed(name))?;
        }
        if tags.is_empty() {
            return Err(malformed(name));
        }
        Ok(Some(Self::OneOf(tags)))
    }
}

/// Reads a list whose elements may be empty (RFC 9110 §5.6.1.2). Tags may hold commas, so
/// splitting at commas does not work.
fn read_tags<'l>(line: &'l [u8], tags: &mut Vec<&'l [u8]>) -> Option<()> {
    let mut rest = line;
    loop {
        rest = rest.trim_ascii_start();
        while let Some(after) = rest.strip_prefix(b",") {
            rest = after.trim_ascii_start();
        }
        if rest.is_empty() {
            return Some(());
        }
        let opened = rest
            .strip_prefix(b"W/")
            .unwrap_or(rest)
            .strip_prefix(b"\"")?;
        let end = opened.iter().position(|byte| *byte == b'"')?;
        let (opaque, closed) = opened.split_at(end);
        let is_tag_character = |byte: &u8| matches!(byte, 0x21 | 0x23..=0x7e | 0x80..);
        if !opaque.iter().all(is_tag_character) {
            return None;
        }
        tags.push(opaque);
        rest = closed.strip_prefix(b"\"")?.trim_ascii_start();
        if !rest.is_empty() && !rest.starts_with(b",") {
            return None;
        }
    }
}

fn malformed(name: &str) -> Problem {
    Problem::invalid(vec![Issue {
        code: IssueCode::InvalidFormat,
        path: vec![name.to_owned()],
        message: format!("{name} is no list of entity tags"),
        expected: "* or entity tags in double quotes, as the ETag header gives them".into(),
    }])
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use slugline_testkit::link;

    use super::*;

    fn matched(lines: &[&str]) -> Result<Precondition, Problem> {
        if_match(lines.iter().map(|line| line.as_bytes()))
    }

    fn changed() -> Link {
        let mut changed = link("docs").id("-A_9").build();
        changed.revision = changed.revision.next();
        changed
    }

    #[test]
    fn a_tag_names_the_version_that_it_was_made_of() {
        let old = link("docs").id("-A_9").build();
        let replaced = link("docs").id("other").build();
        let all = [old, changed(), replaced];
        for one in &all {
            let tag = entity_tag(one);
            let meant = Precondition::OneOf(vec![Version::of(one)]);
            assert_eq!(matched(&[&tag]).unwrap(), meant);
            let same: Vec<bool> = all.iter().map(|other| entity_tag(other) == tag).collect();
            assert_eq!(same.iter().filter(|same| **same).count(), 1, "{tag}");
        }
    }

    #[test]
    fn lists_may_have_gaps_commas_in_tags_and_several_lines() {
        let one = link("docs").build();
        let (first, second) = (entity_tag(&one), entity_tag(&changed()));
        let line = format!(" , {first} ,,\"a,b\" , \"\"");
        let meant = Precondition::OneOf(vec![Version::of(&one), Version::of(&changed())]);
        assert_eq!(matched(&[&line, &second]).unwrap(), meant);
        let weakened = [format!("W/{first},"), format!(", W/{second}")];
        assert_eq!(matched(&[&weakened[0], &weakened[1]]).unwrap(), meant);
        assert_eq!(matched(&[]).unwrap(), Precondition::None);
        assert_eq!(matched(&[" * "]).unwrap(), Precondition::Exists);
    }

    #[test]
    fn foreign_tags_match_no_version_to_change() {
        for line in ["W/\"abc\"", "\"abc\"", "\"x.id\"", "\"1\"", "\"1.a b\""] {
            let read = matched(&[line]);
            if line.contains(' ') {
                read.unwrap_err();
            } else {
                assert_eq!(read.unwrap(), Precondition::OneOf(Vec::new()), "{line}");
            }
        }
    }

    #[rstest]
    #[case(&[""])]
    #[case(&[",, "])]
    #[case(&["abc"])]
    #[case(&["\"abc"])]
    #[case(&["abc\""])]
    #[case(&["\"a\" \"b\""])]
    #[case(&["w/\"a\""])]
    #[case(&["*, \"a\""])]
    #[case(&["*", "*"])]
    #[case(&["\"a\"", "b"])]
    fn what_is_no_list_is_refused_by_the_name_of_the_header(#[case] lines: &[&str]) {
        let problem = matched(lines).unwrap_err();
        assert_eq!(problem.issues[0].path, ["If-Match"]);
        assert_eq!(problem.status(), 400);
        let problem = if_none_match(lines.iter().map(|line| line.as_bytes())).unwrap_err();
        assert_eq!(problem.issues[0].path, ["If-None-Match"]);
    }

    #[test]
    fn who_has_a_version_by_a_weak_tag_has_it() {
        let now = changed();
        let has = |line: &str| if_none_match([line.as_bytes()]).unwrap().include(&now);
        assert!(has(&entity_tag(&now)));
        assert!(has(&format!("\"x\", W/{}", entity_tag(&now))));
        assert!(has("*"));
        assert!(!has(&entity_tag(&link("docs").build())));
        assert!(!if_none_match([]).unwrap().include(&now));
    }
}
