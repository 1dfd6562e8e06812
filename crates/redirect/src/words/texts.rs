//! The texts that a language needs.

/// Every text of the pages in one language.
#[derive(Debug)]
pub(crate) struct Words {
    /// Heading of the page that asks for a password.
    pub(crate) password_required: &'static str,
    pub(crate) enter_password: &'static str,
    /// Label of the field.
    pub(crate) password: &'static str,
    pub(crate) wrong_password: &'static str,
    /// The button that goes on.
    pub(crate) go_on: &'static str,
    /// Heading of the warning.
    pub(crate) unsafe_link: &'static str,
    pub(crate) trust_it: &'static str,
    /// The link back from the warning.
    pub(crate) go_back: &'static str,
    /// The text of the bare origin.
    pub(crate) welcome: &'static str,
    pub(crate) no_link: Message,
    pub(crate) expired: Message,
    pub(crate) no_page: Message,
    pub(crate) too_many_attempts: Message,
    pub(crate) failed: Message,
}

/// A page with one message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
}
