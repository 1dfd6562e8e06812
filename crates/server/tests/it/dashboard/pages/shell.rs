use serde_json::Value;

use crate::dashboard::browser::{Browser, ENTER};

/// What stands around every page.
pub(crate) struct Shell<'b>(pub(crate) &'b Browser<'b>);

impl Shell<'_> {
    /// Waits for the page of an instance without links.
    pub(crate) fn welcomes(&self) {
        self.0.find(".first");
    }

    /// Looks at the links of one domain, or of all by `*`.
    pub(crate) fn look_at_domain(&self, domain: &str) {
        self.0.choose(".domain-switch select", domain);
    }

    pub(crate) fn has_domains(&self) {
        self.0.find(".domain-switch");
    }

    pub(crate) fn sign_out(&self) {
        self.0.click(".main-menu .menu-button");
        self.0.click_text(".menu-item", "Sign out");
        self.0.find("#token");
    }

    /// The token that the tab keeps.
    pub(crate) fn session(&self) -> Value {
        let script = "return sessionStorage.getItem('slugline.token')";
        self.0.run(script)
    }

    /// Waits until the page says that it lacks a scope.
    pub(crate) fn lacks(&self, scope: &str) {
        self.0.says("#main .empty", scope);
    }
}

/// The form that asks for the token, alone or above a page.
pub(crate) struct Door<'b>(pub(crate) &'b Browser<'b>);

impl Door<'_> {
    pub(crate) fn enter(&self, token: &str) {
        self.0.fill("#token", token);
        self.0.type_into("#token", ENTER);
    }

    /// Waits until the door says these words.
    pub(crate) fn says(&self, words: &str) {
        self.0.says("#token-told", words);
    }
}
