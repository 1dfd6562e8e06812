//! What holds for any value, tried with many.

mod chunk; // a column, written and read
mod id_set; // sets of ids against those of the standard library
mod sealed_rows; // rows on their way from the tail into chunks
