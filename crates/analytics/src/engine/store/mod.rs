//! Everything that stands in the file.

pub(crate) mod batch;
pub(crate) mod bytes;
pub(crate) mod chunk;
pub(crate) mod columns;
pub(crate) mod day_totals;
pub(crate) mod erasure;
pub(crate) mod error;
pub(crate) mod front_coded;
pub(crate) mod links;
pub(crate) mod lock;
pub(crate) mod loss_file;
pub(crate) mod loss_table;
pub(crate) mod packed;
pub(crate) mod salted_days;
pub(crate) mod salts;
pub(crate) mod schema;
pub(crate) mod tail;
pub(crate) mod text_key;
