-- The moment at which a visit was imported, step 4; 0 for a visit that was recorded.
--
-- An erasure deletes visits from up to a moment. An imported visit is new at its import, so an
-- earlier erasure leaves it.
ALTER TABLE access_log ADD COLUMN IF NOT EXISTS imported_ms Int64 DEFAULT 0
