//! Rows as bytes, and as columns in memory. This module does not know `SQLite`.
//!
//! | module | holds |
//! |---|---|
//! | `bytes`, `packed`, `front_coded`, `skewed` | the encoding of lengths, numbers and texts |
//! | `chunk`, `batch` | the formats of a sealed chunk and of a batch of the tail |
//! | `block_builder`, `text_key` | the builder of blocks, which encodes both; fingerprints of texts |
//! | `column`, `numbers` | the columns and the numbers of a row |
//! | `mixed` | a number's place among all numbers |
//! | `derived` | columns that follow from others |
//! | `block`, `values`, `texts`, `dictionary`, `selection`, `link_runs` | rows in memory, column by column |

pub(crate) mod batch;
pub(crate) mod block;
pub(crate) mod block_builder;
pub(crate) mod bytes;
pub(crate) mod chunk;
pub(crate) mod column;
pub(crate) mod derived;
pub(crate) mod dictionary;
pub(crate) mod front_coded;
pub(crate) mod link_runs;
pub(crate) mod mixed;
pub(crate) mod numbers;
pub(crate) mod packed;
pub(crate) mod selection;
pub(crate) mod skewed;
pub(crate) mod text_key;
pub(crate) mod texts;
pub(crate) mod values;
