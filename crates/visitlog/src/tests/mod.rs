//! Tests of the engine as a whole.

mod appending;
mod days;
mod domains;
mod hidden_destinations;
mod imports;
mod properties;
pub(crate) mod rows;
mod segments;
mod std_error;
