use crate::dashboard::browser::Browser;

pub(crate) struct List<'b>(pub(crate) &'b Browser<'b>);

/// The slugs of the rows, once they are those of the address.
const SLUGS: &str = "[...document.querySelectorAll('.list:not(.skeleton):not(.stale) .row')].map((row) => row.dataset.slug)";

/// The rows, and the filters above them.
impl List<'_> {
    /// Waits until the rows are these, in this order.
    pub(crate) fn shows(&self, slugs: &str) {
        self.until(slugs, &format!(".join() === '{slugs}'"));
    }

    /// Waits until the rows are these, in any order.
    pub(crate) fn shows_together(&self, slugs: &str) {
        self.until(slugs, &format!(".sort().join() === '{slugs}'"));
    }

    /// Waits until the slug of the first row begins so.
    pub(crate) fn begins(&self, with: &str) {
        self.until(with, &format!("[0]?.startsWith('{with}')"));
    }

    fn until(&self, slugs: &str, holds: &str) {
        let what = format!("the list shows {slugs}");
        self.0.until(&what, &format!("return {SLUGS}{holds}"));
    }

    /// A part of the row of a link.
    pub(crate) fn row(slug: &str, part: &str) -> String {
        format!(".row[data-slug='{slug}'] {part}")
    }

    pub(crate) fn has(&self, slug: &str) {
        self.0.find(&Self::row(slug, ""));
    }

    /// Waits until the row of a link has this status.
    pub(crate) fn marks(&self, slug: &str, status: &str) {
        let badge = format!("[data-status={status}]");
        self.0.find(&Self::row(slug, &badge));
    }

    /// Waits until the row of a link has no status to tell of.
    pub(crate) fn marks_nothing_of(&self, slug: &str) {
        self.has(slug);
        self.0.gone(&Self::row(slug, "[data-status]"));
    }

    pub(crate) fn shows_visits(&self, slug: &str, visits: &str) {
        let shown = Self::row(slug, ".row-visits span:first-of-type");
        self.0.reads(&shown, visits);
    }

    pub(crate) fn open(&self, slug: &str) {
        self.0.click(&Self::row(slug, ".row-slug"));
    }

    pub(crate) fn status(&self, status: &str) {
        let list = ".toolbar .select:nth-of-type(1) select";
        self.0.choose(list, status);
    }

    pub(crate) fn sort(&self, order: &str) {
        let list = ".toolbar .select:nth-of-type(3) select";
        self.0.choose(list, order);
    }

    pub(crate) fn search(&self, text: &str) {
        self.0.fill("#search", text);
    }
}

/// Actions on the links that are selected.
impl List<'_> {
    pub(crate) fn select(&self, slugs: &[&str]) {
        for slug in slugs {
            self.0.click(&Self::row(slug, ".row-check input"));
        }
    }

    pub(crate) fn select_all_shown(&self) {
        self.0.click(".list-head input");
    }

    /// Waits until this many links are selected.
    pub(crate) fn selected(&self, number: usize) {
        self.0.says(".bulk strong", &number.to_string());
    }

    pub(crate) fn act(&self, name: &str) {
        self.0.click_text(".bulk .button:not(:disabled)", name);
    }

    /// Waits for the result of the dry run, and until the action can be confirmed.
    pub(crate) fn would_change(&self, links: usize) {
        self.outcome("bulkWould", links);
        self.0.find("dialog [type=submit]:not(:disabled)");
    }

    /// Waits until the dry run counts this many links for an outcome.
    pub(crate) fn outcome(&self, name: &str, links: usize) {
        let count = format!("[data-outcome={name}] dd");
        self.0.reads(&count, &links.to_string());
    }

    /// Confirms the action, which would change this many links, and waits for its end.
    pub(crate) fn confirm(&self, links: usize) {
        self.would_change(links);
        self.0.click("dialog [type=submit]");
        self.0.gone(".bulk, dialog");
        self.0.settle();
    }

    /// Undoes the last action, which changed this many links.
    pub(crate) fn undo(&self, links: usize) {
        self.0.click(".toast:last-child .toast-action");
        let told = ".toast:last-child:not(:has(.toast-action))";
        self.0.says(told, &format!("Done: {links} "));
        self.0.settle();
    }
}
