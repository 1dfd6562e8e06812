//! From spans of this process to spans of OpenTelemetry.

use std::{sync::OnceLock, time::Duration};

use actix_web::http::header::{HeaderMap, HeaderName};
use anyhow::Context as _;
use opentelemetry::{
    KeyValue,
    propagation::{Extractor, TextMapPropagator},
    trace::{TraceContextExt, TracerProvider},
};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{Sampler, SdkTracerProvider},
};
use slugline_domain::measure::TRACES;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
    registry::LookupSpan,
};

use super::{TraceOptions, collector::Wire};
use crate::VERSION;

/// The time for which the process waits at its end for the collector to take the last spans.
const LAST_CALL: Duration = Duration::from_secs(5);

static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// The layer that sends spans to the collector. Call this once.
///
/// Spans wait in a bounded queue for a thread of their own; beyond its bound they are dropped, so
/// a collector that is slow or away delays no request.
///
/// # Errors
/// The exporter does not take the options, or its thread cannot be started.
pub(crate) fn layer<S>(options: &TraceOptions) -> anyhow::Result<impl Layer<S> + use<S>>
where
    S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
{
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Wire::new()?)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(options.collector.as_str())
        .build()
        .context("traces cannot be sent")?;
    let service = Resource::builder()
        .with_service_name("slugline")
        .with_attribute(KeyValue::new("service.version", VERSION))
        .build();
    let share = Sampler::TraceIdRatioBased(options.share);
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_sampler(Sampler::ParentBased(Box::new(share)))
        .with_resource(service)
        .build();
    let provider = PROVIDER.get_or_init(|| provider);
    Ok(tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("slugline"))
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_filter(Targets::new().with_target(TRACES, LevelFilter::INFO)))
}

/// Sends the spans that wait, at the end of the process.
pub(crate) fn finish() {
    if let Some(provider) = PROVIDER.get() {
        // The collector's absence has been logged.
        let _ = provider.shutdown_with_timeout(LAST_CALL);
    }
}

/// Makes a span that has not begun a part of the trace that the headers name, if they do.
pub(super) fn continue_trace(span: &Span, headers: &HeaderMap) {
    let context = TraceContextPropagator::new().extract(&Sent(headers));
    if context.span().span_context().is_valid() {
        // It fails for a span that no trace holds, and that needs no trace.
        let _ = span.set_parent(context);
    }
}

/// Names a span after its route.
pub(super) fn rename(span: &Span, route: &str) {
    span.context().span().update_name(route.to_owned());
}

struct Sent<'h>(&'h HeaderMap);

impl Extractor for Sent<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}
