//! A binding in three texts, as the tables of tokens and of consents hold it.

use slugline_domain::{Binding, DomainName, Host, LinkId};

use super::tags_text;

/// The name of the default domain among others, which no host has.
const DEFAULT_DOMAIN: &str = ".";

/// The texts of a binding.
#[derive(Debug, Default)]
pub(crate) struct BindingTexts {
    /// Identities of links, separated by blanks.
    pub(crate) link_ids: String,
    /// Tags, in the form of a link's tags.
    pub(crate) tags: String,
    /// Hosts, separated by blanks; a dot for the default domain.
    pub(crate) domains: String,
}

pub(crate) fn write(binding: &Binding) -> BindingTexts {
    let ids: Vec<&str> = binding.links().iter().map(LinkId::as_str).collect();
    let domains = binding.domains().iter();
    let domains = domains.map(|name| name.host().map_or(DEFAULT_DOMAIN, Host::as_str));
    BindingTexts {
        link_ids: ids.join(" "),
        tags: tags_text::write(binding.tags()),
        domains: domains.collect::<Vec<_>>().join(" "),
    }
}

/// The binding; `None` if a text is not of the form, or all are empty.
pub(crate) fn read(link_ids: &str, tags: &str, domains: &str) -> Option<Binding> {
    let ids = link_ids.split_ascii_whitespace().map(LinkId::parse);
    let domains = domains.split_ascii_whitespace().map(|name| match name {
        DEFAULT_DOMAIN => Ok(DomainName::DEFAULT),
        host => DomainName::parse(host),
    });
    Binding::new(
        ids.collect::<Result<Vec<_>, _>>().ok()?,
        tags_text::read(tags).ok()?,
        domains.collect::<Result<Vec<_>, _>>().ok()?,
    )
    .ok()
}
