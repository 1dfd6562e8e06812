use crate::dashboard::browser::Browser;

/// A question that stands above the page.
pub(crate) struct Dialog<'b>(pub(crate) &'b Browser<'b>);

impl Dialog<'_> {
    /// Confirms what takes something away.
    pub(crate) fn confirm(&self) {
        self.0.click("dialog .danger");
    }

    /// Accepts what is offered.
    pub(crate) fn accept(&self) {
        self.0.click("dialog .primary:not(:disabled)");
    }

    pub(crate) fn press(&self, button: &str) {
        self.0.click_text("dialog button", button);
    }

    pub(crate) fn is_closed(&self) {
        self.0.gone("dialog");
    }
}
