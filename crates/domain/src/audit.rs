//! The audit trail: a line for each change, with its moment, its author and its object.
//!
//! A store writes the line in the transaction of the change, so neither exists without the other.

use std::{cmp::Reverse, fmt, str::FromStr};

use thiserror::Error;

use crate::{DomainName, Host, LinkKey, TokenName, UnixMillis};

/// The name of the party that makes a change: the name of a token, or one of the names that no
/// token may have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerName(Box<str>);

text_form!(CallerName: as_str, Display, FromStr<CallerNameError>);

impl CallerName {
    /// The maximum length of a name in characters.
    pub const MAX_CHARS: usize = TokenName::MAX_CHARS;

    /// Trims and checks a name.
    ///
    /// # Errors
    /// The name is empty, too long, or has control characters.
    pub fn parse(text: &str) -> Result<Self, CallerNameError> {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 || length > Self::MAX_CHARS {
            return Err(CallerNameError::Length { length });
        }
        if text.chars().any(char::is_control) {
            return Err(CallerNameError::ControlCharacter);
        }
        Ok(Self(text.into()))
    }
}

/// The reason why a text is not the name of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CallerNameError {
    /// It is empty or longer than [`CallerName::MAX_CHARS`].
    #[error(
        "the name has {length} characters, 1 to {} are allowed",
        CallerName::MAX_CHARS
    )]
    Length {
        /// Its length in characters.
        length: usize,
    },
    /// It has a control character, such as a line break.
    #[error("the name has a control character")]
    ControlCharacter,
}

/// A keyed hash of the network from which a change came. It names the network without
/// containing its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientTag(u64);

impl ClientTag {
    /// Takes a hash.
    pub const fn new(hash: u64) -> Self {
        Self(hash)
    }

    /// Reads the 16 hexadecimal digits that [`fmt::Display`] writes.
    ///
    /// # Errors
    /// The text is another one.
    pub fn parse(text: &str) -> Result<Self, ClientTagError> {
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hash = digits.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        hash.map(Self).ok_or(ClientTagError)
    }
}

impl FromStr for ClientTag {
    type Err = ClientTagError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for ClientTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The text is not the hash of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the hash of a network has 16 hexadecimal digits")]
pub struct ClientTagError;

/// The party that makes a change, and the network that it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The name of the caller.
    pub caller: CallerName,
    /// The network; `None` for changes that did not come over a network.
    pub client: Option<ClientTag>,
}

impl Author {
    /// The operator, by a command on the machine.
    pub fn operator() -> Self {
        Self::local(TokenName::OPERATOR)
    }

    /// The service itself.
    pub fn service() -> Self {
        Self::local(TokenName::SERVICE)
    }

    fn local(name: &str) -> Self {
        Self {
            caller: CallerName(name.into()),
            client: None,
        }
    }
}

named_values! {
    /// A kind of change.
    pub enum AuditedOperation {
        /// A link was created. If an expired link had its slug, that link is gone.
        LinkCreate = "link.create",
        /// A link was edited.
        LinkEdit = "link.edit",
        /// A link was deleted.
        LinkDelete = "link.delete",
        /// A link was imported. If an expired link had its slug, that link is gone.
        LinkImport = "link.import",
        /// A link was moved here from an older instance's store.
        LinkMigrate = "link.migrate",
        /// The imported hash of a link's password was replaced by a stronger hash of the same
        /// password.
        LinkRehash = "link.rehash",
        /// A link was moved to another domain: a line for its former key and one for its new key.
        LinkMove = "link.move",
        /// A deleted link, or an older version of a link, was brought back.
        LinkRestore = "link.restore",
        /// A link was erased with all of its versions.
        LinkPurge = "link.purge",
        /// A token was added.
        TokenAdd = "token.add",
        /// A token was revoked.
        TokenRevoke = "token.revoke",
        /// The visits of a link were to be erased from the access log.
        VisitsErase = "visits.erase",
        /// A host was named, so that it has links of its own.
        DomainAdd = "domain.add",
        /// The record of a domain was replaced.
        DomainEdit = "domain.edit",
        /// A domain was taken away.
        DomainRemove = "domain.remove",
    }
}

text_form!(AuditedOperation: Display, FromStr<OperationError>);

impl AuditedOperation {
    /// The operation with this word.
    ///
    /// # Errors
    /// There is none. A later version may know it.
    pub fn parse(word: &str) -> Result<Self, OperationError> {
        Self::named(word).ok_or_else(|| OperationError(word.into()))
    }
}

/// No operation has this word.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not an operation")]
pub struct OperationError(Box<str>);

/// The part of an audit line that the caller of a store knows before the change. The store adds
/// the object of the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditNote {
    /// The moment of the change.
    pub at: UnixMillis,
    /// The author of the change.
    pub author: Author,
    /// The kind of the change.
    pub operation: AuditedOperation,
}

/// A line of the audit trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLine {
    /// The moment of the change, by the clock of the node that made it.
    pub at: UnixMillis,
    /// A number that tells lines of the same moment apart.
    pub number: i64,
    /// The author of the change.
    pub author: Author,
    /// The word of an [`AuditedOperation`]. A later version may have written a word that this version
    /// does not know.
    pub operation: String,
    /// The key of the changed link.
    pub key: Option<LinkKey>,
    /// The name of the changed token.
    pub token: Option<CallerName>,
    /// The host of the changed domain.
    pub domain: Option<Host>,
}

/// The lines that a query covers. Members that are `None` exclude nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Only lines from this moment on.
    pub from: Option<UnixMillis>,
    /// Only lines before this moment.
    pub until: Option<UnixMillis>,
    /// Only changes of links with exactly one of these keys; an empty list excludes nothing.
    pub keys: Vec<LinkKey>,
    /// Only changes of this domain and of its links.
    pub domain: Option<DomainName>,
    /// Only changes by this caller.
    pub caller: Option<CallerName>,
    /// Only changes of this kind.
    pub operation: Option<AuditedOperation>,
}

/// The position after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditPosition {
    /// The moment of the last line seen.
    pub at: UnixMillis,
    /// The number of the last line seen.
    pub number: i64,
}

impl AuditPosition {
    /// The position after this line.
    pub fn after(line: &AuditLine) -> Self {
        Self {
            at: line.at,
            number: line.number,
        }
    }
}

/// A request for a page of lines, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditQuery {
    /// Only lines that meet this.
    pub filter: AuditFilter,
    /// Only lines after this position.
    pub after: Option<AuditPosition>,
    /// The largest number of lines to return.
    pub limit: u32,
}

impl AuditNote {
    /// The note of a change by this author.
    pub fn new(at: UnixMillis, author: &Author, operation: AuditedOperation) -> Self {
        let author = author.clone();
        Self {
            at,
            author,
            operation,
        }
    }

    /// The line of a change of this link; `number` tells lines of one moment apart.
    pub fn line(&self, number: i64, key: Option<&LinkKey>) -> AuditLine {
        AuditLine {
            at: self.at,
            number,
            author: self.author.clone(),
            operation: self.operation.to_string(),
            key: key.cloned(),
            token: None,
            domain: None,
        }
    }
}

impl AuditFilter {
    /// Returns whether a line meets every condition.
    pub fn admits(&self, line: &AuditLine) -> bool {
        let is_about = |key: &LinkKey| self.keys.contains(key);
        let is_in = |domain: &DomainName| {
            let of_link = line.key.as_ref().map(|key| &key.domain);
            of_link == Some(domain)
                || line
                    .domain
                    .as_ref()
                    .is_some_and(|host| domain.host() == Some(host))
        };
        let is_by = |caller: &CallerName| *caller == line.author.caller;
        let is_kind = |operation: AuditedOperation| operation.as_str() == line.operation;
        self.from.is_none_or(|from| line.at >= from)
            && self.until.is_none_or(|until| line.at < until)
            && (self.keys.is_empty() || line.key.as_ref().is_some_and(is_about))
            && self.domain.as_ref().is_none_or(is_in)
            && self.caller.as_ref().is_none_or(is_by)
            && self.operation.is_none_or(is_kind)
    }
}

impl AuditQuery {
    /// The page of these lines, for stores that hold all of them in memory.
    pub fn page<'l>(&self, lines: impl IntoIterator<Item = &'l AuditLine>) -> Vec<AuditLine> {
        let follows = |line: &AuditLine| {
            let last = self.after.as_ref();
            last.is_none_or(|last| (line.at, line.number) < (last.at, last.number))
        };
        let lines = lines.into_iter();
        let met = lines.filter(|line| self.filter.admits(line) && follows(line));
        let mut met: Vec<_> = met.collect();
        met.sort_by_key(|line| Reverse((line.at, line.number)));
        met.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        met.into_iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_bounded() {
        assert_eq!(CallerName::parse(" CI bot ").unwrap().as_str(), "CI bot");
        for (text, error) in [
            (" ".to_owned(), CallerNameError::Length { length: 0 }),
            ("x".repeat(65), CallerNameError::Length { length: 65 }),
            ("a\nb".to_owned(), CallerNameError::ControlCharacter),
        ] {
            assert_eq!(CallerName::parse(&text), Err(error));
        }
        for author in [Author::operator(), Author::service()] {
            assert_eq!(CallerName::parse(author.caller.as_str()), Ok(author.caller));
        }
    }

    #[test]
    fn a_tag_is_read_as_it_is_written() {
        for hash in [0, 0xab, u64::MAX] {
            let tag = ClientTag::new(hash);
            assert_eq!(tag.to_string().parse(), Ok(tag));
        }
        for text in ["", "ab", "+123456789abcdef", "00000000000000000"] {
            assert_eq!(ClientTag::parse(text), Err(ClientTagError), "{text:?}");
        }
    }
}
