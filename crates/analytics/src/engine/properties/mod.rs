mod chunk;
mod sealed_rows;
