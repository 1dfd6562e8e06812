//! Rows as bytes, and as columns in memory. This module does not know `SQLite`.
//!
//! | module | holds |
//! |---|---|
//! | `bytes`, `packed`, `front_coded`, `skewed` | the encoding of lengths, numbers and texts |
//! | `chunk`, `batch` | the formats of a sealed chunk and of a batch of the tail |
//! | `block_builder` | the builder of blocks, which encodes both |
//! | `hash` | fingerprints of texts |
//! | `derived` | columns that follow from others |
//! | `block`, `values`, `dictionary`, `selection`, `link_runs` | rows in memory, column by column |

pub(crate) mod batch;
pub(crate) mod block;
pub(crate) mod block_builder;
pub(crate) mod bytes;
pub(crate) mod chunk;
pub(crate) mod derived;
pub(crate) mod dictionary;
pub(crate) mod front_coded;
pub(crate) mod hash;
pub(crate) mod link_runs;
pub(crate) mod packed;
pub(crate) mod selection;
pub(crate) mod skewed;
pub(crate) mod values;
