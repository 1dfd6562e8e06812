use crate::dashboard::browser::Browser;

/// The panel of a link. Its fields have the names of the link's members.
pub(crate) struct Editor<'b>(pub(crate) &'b Browser<'b>);

impl Editor<'_> {
    /// Types at the end of a field.
    pub(crate) fn write(&self, field: &str, text: &str) {
        self.0.type_into(&in_panel(field), text);
    }

    pub(crate) fn rewrite(&self, field: &str, text: &str) {
        self.0.fill(&in_panel(field), text);
    }

    /// Puts a value into a field at once, such as a time.
    pub(crate) fn set(&self, field: &str, value: &str) {
        self.0.set(&in_panel(field), value);
    }

    /// Waits until a field has this value.
    pub(crate) fn holds(&self, field: &str, value: &str) {
        self.0.holds(&in_panel(field), value);
    }

    /// Checks that a field still has this value.
    #[track_caller]
    pub(crate) fn keeps(&self, field: &str, value: &str) {
        let held = self.0.member(&in_panel(field), "value");
        assert_eq!(held, value, "{field}");
    }

    pub(crate) fn open_section(&self, title: &str) {
        self.0.click_text(".section-head", title);
    }

    /// Adds an entry to a list by the button below it.
    pub(crate) fn add(&self, button: &str) {
        self.0.click_text(".text-button", button);
    }

    /// Presses a button at the foot of the panel.
    pub(crate) fn press(&self, button: &str) {
        self.0.click_text(".panel-foot button", button);
    }

    /// Sends the form, without waiting for the answer.
    pub(crate) fn send(&self) {
        self.0.click(".panel-foot [type=submit]:not(:disabled)");
    }

    /// Saves the link, and waits until the panel is closed.
    pub(crate) fn save(&self) {
        self.send();
        self.0.gone(".panel");
    }

    #[track_caller]
    pub(crate) fn cannot_save(&self) {
        assert!(self.0.is_off(".panel-foot [type=submit]"));
    }

    /// Asks for the deletion, which a dialog confirms.
    pub(crate) fn delete(&self) {
        self.0.click(".panel-head [aria-label=Delete]");
    }
}

/// A field, once the panel has read the link.
fn in_panel(field: &str) -> String {
    format!(".panel-body:not(.stale) #{field}")
}

/// A rule of the link in the panel, by its place.
pub(crate) struct Rule<'b>(pub(crate) &'b Browser<'b>, pub(crate) usize);

impl Rule<'_> {
    pub(crate) fn part(&self, css: &str) -> String {
        format!("[data-rule='{}'] {css}", self.1)
    }

    pub(crate) fn condition(&self, kind: &str, part: &str) -> String {
        self.part(&format!("[data-kind={kind}] {part}"))
    }

    /// Puts a value into a field, such as `url` or that of a condition.
    pub(crate) fn set(&self, field: &str, value: &str) {
        self.0.set(&format!("#rule-{}-{field}", self.1), value);
    }

    /// Adds conditions.
    pub(crate) fn add(&self, kinds: &[&str]) {
        for kind in kinds {
            self.0.choose(&self.part(".add-condition select"), kind);
            self.0.find(&self.condition(kind, ""));
        }
    }

    /// Ticks the values of a condition at these places, from 1 on.
    pub(crate) fn tick(&self, kind: &str, places: &[u32]) {
        for place in places {
            let input = format!(".check:nth-child({place}) input");
            self.0.click(&self.condition(kind, &input));
        }
    }

    pub(crate) fn negate(&self, kind: &str) {
        let turn = self.condition(kind, ".condition-head select");
        self.0.choose(&turn, "not");
    }
}
