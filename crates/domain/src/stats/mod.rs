//! Questions about visits and their answers.

mod access;
mod bots;
mod choice;
mod counters;
mod degrees;
mod destinations;
mod dimension;
mod erasure;
mod events;
mod filter;
mod heatmap;
mod locations;
mod log_trouble;
mod metrics;
mod report;
mod stored;
mod views;

pub use access::AccessRow;
pub use bots::Bots;
pub use choice::Choice;
pub use counters::{CounterRow, Counters, CountersQuery, CountersReport};
pub use degrees::Degrees;
pub use destinations::Destinations;
pub use dimension::{Dimension, DimensionKind};
pub use erasure::Erasure;
pub use events::{Event, EventsQuery};
pub use filter::VisitFilter;
pub use heatmap::{HeatmapQuery, HeatmapReport, HeatmapRow};
pub use locations::{LocationRow, LocationsQuery, LocationsReport};
pub use log_trouble::LogTrouble;
pub use metrics::{MetricRow, MetricsQuery, MetricsReport};
pub use report::{Report, RowLimit, RowLimitError};
pub use stored::{StoredVisit, VisitColumn, VisitColumnKind, VisitTexts};
pub use views::{ViewRow, ViewsQuery, ViewsReport};
