mod batch;
mod chunk;
mod hostile;
mod sealed_rows;
