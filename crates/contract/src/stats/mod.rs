//! Queries about visits on the wire.

mod answer;
mod choice;
mod dimension;
mod erase;
mod events;
mod export;
mod filter;
mod heatmap;
mod limit;
mod metrics;
mod views;
mod zone;

pub(crate) use answer::StdErrorView;
pub use answer::{Answer, CounterView, LocationView, Ranked, SamplingView};
pub use dimension::ValueFilters;
pub use erase::ErasedVisits;
pub use events::EventView;
pub use export::{CSV_HEAD, csv_file_name, csv_lines};
pub use filter::{AnalyticsFilter, BotsName, MAX_TAGS};
pub use heatmap::{HeatmapRequest, HourAverage, HourView};
pub(crate) use limit::DEFAULT_ROWS;
pub use limit::LimitedRequest;
pub use metrics::{MetricView, MetricsRequest};
pub use views::{TimeBucket, Unit, ViewsRequest};
pub(crate) use zone::is_known as is_known_zone;
