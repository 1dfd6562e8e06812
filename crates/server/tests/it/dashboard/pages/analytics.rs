use crate::{dashboard::browser::Browser, support::server::eventually};

pub(crate) struct Analytics<'b>(pub(crate) &'b Browser<'b>);

impl Analytics<'_> {
    /// Waits until visits are counted.
    pub(crate) fn is_counted(&self) {
        self.0
            .find("[data-counter=visits] .counter-value:not(:has(.block))");
        self.0.settle();
    }

    /// Waits until the page shows this many visits.
    pub(crate) fn shows_visits(&self, visits: u64) {
        let script = format!(
            "return document.querySelector('[data-counter=visits] .counter-value')?.textContent.replaceAll(',', '') === '{visits}'"
        );
        self.0.until(&format!("{visits} visits"), &script);
    }

    pub(crate) fn counter(&self, name: &str) -> u64 {
        let value = format!("[data-counter={name}] .counter-value");
        number(&self.0.text(&value))
    }

    /// Shows a table in place of the graph.
    pub(crate) fn show_table(&self) {
        self.0.click(".timeline [aria-pressed=false].icon-button");
    }

    /// The query of the first request for such an address.
    pub(crate) fn question(&self, part: &str) -> String {
        let mut requested = Vec::new();
        eventually(part, || {
            requested = self.0.requested(part);
            !requested.is_empty()
        });
        let (_, query) = requested[0].split_once('?').unwrap();
        query.to_owned()
    }
}

/// A panel of values.
pub(crate) struct Panel<'b>(pub(crate) &'b Browser<'b>, pub(crate) &'static str);

impl Panel<'_> {
    pub(crate) fn part(&self, css: &str) -> String {
        format!("[data-panel={}] {css}", self.1)
    }

    /// Values by `name`, or numbers of them.
    pub(crate) fn column(&self, name: &str) -> Vec<String> {
        self.0.texts(&self.part(&format!(".value-{name}")))
    }

    /// Waits until there are as many values.
    pub(crate) fn has(&self, values: usize) {
        self.0.counts(&self.part(".values li"), values);
    }

    pub(crate) fn turn_to(&self, tab: &str) {
        self.0.click_text(&self.part("[role=tab]"), tab);
    }

    /// Filters by a value.
    pub(crate) fn choose(&self, value: &str) {
        self.0.click_text(&self.part(".value-name"), value);
    }

    /// Filters by the first value.
    pub(crate) fn choose_first(&self) {
        self.0.click(&self.part(".values button"));
    }

    pub(crate) fn exclude_first(&self) {
        self.0
            .click(&self.part(".values li:first-child .value-out"));
    }
}

/// The number that a text shows.
pub(crate) fn number(text: &str) -> u64 {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}
