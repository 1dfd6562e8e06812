-- Version 2 of an access log: links are found by slug, and each chunk has a
-- list of the targets that its rows have, in order and in the form of a chunk's
-- column. Chunks from before have none.

CREATE INDEX dim_target_slug ON dim_target (slug);

CREATE TABLE chunk_target (
    chunk INTEGER PRIMARY KEY, n INTEGER NOT NULL, ids BLOB NOT NULL
) STRICT;
CREATE TRIGGER chunk_target_end AFTER DELETE ON chunk BEGIN
    DELETE FROM chunk_target WHERE chunk = OLD.id;
END;
