//! The texts that a language needs.

/// Every text of the pages in one language.
#[derive(Debug)]
pub(crate) struct Words {
    /// The language, by BCP 47.
    pub(crate) lang: &'static str,
    /// Heading of the page that signs in.
    pub(crate) sign_in_title: &'static str,
    pub(crate) sign_in_text: &'static str,
    /// Label of the field.
    pub(crate) token: &'static str,
    pub(crate) token_hint: &'static str,
    /// The button.
    pub(crate) sign_in: &'static str,
    pub(crate) wrong_token: &'static str,
    /// The token is right and not enough.
    pub(crate) may_not: &'static str,
    /// With `{seconds}`.
    pub(crate) too_many: &'static str,
    pub(crate) over: &'static str,
    /// Heading of the page that asks.
    pub(crate) consent_title: &'static str,
    /// About the name of the application.
    pub(crate) unverified: &'static str,
    /// Before the host of the answer.
    pub(crate) goes_to: &'static str,
    /// The answer goes to a program of this computer.
    pub(crate) goes_to_program: &'static str,
    /// Before the name of the token.
    pub(crate) signed_in_as: &'static str,
    /// Before the permissions.
    pub(crate) may: &'static str,
    pub(crate) links_read: &'static str,
    pub(crate) links_write: &'static str,
    pub(crate) analytics_read: &'static str,
    /// Names the rights that no assistant gets.
    pub(crate) never: &'static str,
    /// Opens the fields for tags and slugs.
    pub(crate) only: &'static str,
    pub(crate) only_hint: &'static str,
    pub(crate) tags: &'static str,
    pub(crate) slugs: &'static str,
    /// Before the hosts.
    pub(crate) domains: &'static str,
    /// Before the reason.
    pub(crate) wrong_links: &'static str,
    /// Before the end.
    pub(crate) ends: &'static str,
    pub(crate) no_end: &'static str,
    /// After a day, a week, 30 days, 90 days, a year.
    pub(crate) days: [&'static str; 5],
    pub(crate) revocable: &'static str,
    pub(crate) allow: &'static str,
    pub(crate) deny: &'static str,
    pub(crate) no_scope: &'static str,
    /// There is nothing to decide.
    pub(crate) refused_title: &'static str,
    pub(crate) refused_text: &'static str,
    pub(crate) failed_title: &'static str,
    pub(crate) failed_text: &'static str,
}
