//! The text format of Prometheus, version 0.0.4
//! (<https://prometheus.io/docs/instrumenting/exposition_formats/>).

use std::fmt::{Display, Write};

use slugline_domain::measure::Timings;

use super::catalogue::{HISTOGRAM, METRICS, kind_of};

/// The media type of the text.
pub(super) const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The labels of a value. Their values are names of our own, never a client's text.
pub(super) type Labels<'l> = &'l [(&'l str, &'l str)];

/// A text of metrics under construction.
#[derive(Debug, Default)]
pub(super) struct Text(String);

impl Text {
    /// Begins a metric. The caller adds its values.
    pub(super) fn metric(&mut self, name: &'static str) -> Values<'_> {
        let metric = METRICS.iter().find(|(known, _)| *known == name);
        let (name, help) = metric.expect("every metric is in the catalogue");
        let kind = kind_of(name);
        self.put(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
        Values { text: self, name }
    }

    /// A metric of one value.
    pub(super) fn number(&mut self, name: &'static str, value: impl Display) {
        self.metric(name).value(&[], value);
    }

    /// A metric with a value for each value of a label.
    pub(super) fn by<V: Display>(
        &mut self,
        name: &'static str,
        label: &str,
        values: impl IntoIterator<Item = (&'static str, V)>,
    ) {
        let mut metric = self.metric(name);
        for (of, value) in values {
            metric.value(&[(label, of)], value);
        }
    }

    pub(super) fn finish(self) -> String {
        self.0
    }

    fn put(&mut self, line: std::fmt::Arguments<'_>) {
        let written = self.0.write_fmt(line);
        written.expect("a text takes everything");
    }
}

/// The values of a metric.
#[derive(Debug)]
pub(super) struct Values<'t> {
    text: &'t mut Text,
    name: &'static str,
}

impl Values<'_> {
    /// A value of a counter or a gauge.
    pub(super) fn value(&mut self, labels: Labels<'_>, value: impl Display) -> &mut Self {
        debug_assert!(kind_of(self.name) != HISTOGRAM);
        self.line("", labels, None, value);
        self
    }

    /// The values of a histogram.
    pub(super) fn timings(&mut self, labels: Labels<'_>, timings: &Timings) -> &mut Self {
        debug_assert!(kind_of(self.name) == HISTOGRAM);
        let mut sum = 0;
        let bounds = Timings::BOUNDS.map(|bound| bound.as_secs_f64().to_string());
        let bounds = bounds.iter().map(String::as_str).chain(["+Inf"]);
        for (bound, count) in bounds.zip(timings.buckets) {
            sum += count;
            self.line("_bucket", labels, Some(bound), sum);
        }
        self.line("_sum", labels, None, timings.sum.as_secs_f64());
        // Equals the last bucket, even if requests are counted meanwhile.
        self.line("_count", labels, None, sum);
        self
    }

    fn line(&mut self, suffix: &str, labels: Labels<'_>, bound: Option<&str>, value: impl Display) {
        let (text, name) = (&mut *self.text, self.name);
        text.put(format_args!("{name}{suffix}"));
        let bound = bound.map(|bound| ("le", bound));
        let mut before = '{';
        for (label, value) in labels.iter().copied().chain(bound) {
            // Our own names need no escapes.
            debug_assert!(!value.contains(['"', '\\', '\n']), "{value}");
            text.put(format_args!("{before}{label}=\"{value}\""));
            before = ',';
        }
        let end = if before == ',' { "}" } else { "" };
        text.put(format_args!("{end} {value}\n"));
    }
}
