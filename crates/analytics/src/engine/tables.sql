-- The tables of an access log, version 1.
--
-- Id 0 of each dictionary stands for all values beyond its bound, id 1 of the
-- dictionaries of plain values (kind 1: referers, 2: languages) for the empty
-- text.

CREATE TABLE dim_target (
    id INTEGER PRIMARY KEY, link_id TEXT NOT NULL, slug TEXT NOT NULL, url TEXT NOT NULL
) STRICT;
CREATE INDEX dim_target_link ON dim_target (link_id);

CREATE TABLE dim_client (
    id INTEGER PRIMARY KEY, ua TEXT NOT NULL, os TEXT NOT NULL, browser TEXT NOT NULL,
    browser_type TEXT NOT NULL, device TEXT NOT NULL, device_type TEXT NOT NULL
) STRICT;
CREATE INDEX dim_client_ua ON dim_client (ua);

CREATE TABLE dim_place (
    id INTEGER PRIMARY KEY, country TEXT NOT NULL, region TEXT NOT NULL, city TEXT NOT NULL,
    timezone TEXT NOT NULL, colo TEXT NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL
) STRICT;
CREATE INDEX dim_place_name ON dim_place (country, region, city);

CREATE TABLE dim_value (
    kind INTEGER NOT NULL, id INTEGER NOT NULL, v TEXT NOT NULL, PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX dim_value_text ON dim_value (kind, v);

-- `ip` is the keyed hash of the address, `si` the sampling interval, `coh`
-- whether the row says something about the number of visitors.
CREATE TABLE tail (
    seq INTEGER PRIMARY KEY, ts_ms INTEGER NOT NULL, target_id INTEGER NOT NULL,
    client_id INTEGER NOT NULL, place_id INTEGER NOT NULL, ref_id INTEGER NOT NULL,
    lang_id INTEGER NOT NULL, ip INTEGER NOT NULL, si INTEGER NOT NULL, coh INTEGER NOT NULL
) STRICT;

-- The columns that most questions need come first: SQLite reaches a value only
-- by walking over the pages of those before it.
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY, format INTEGER NOT NULL, min_ts INTEGER NOT NULL,
    max_ts INTEGER NOT NULL, n INTEGER NOT NULL,
    ts BLOB NOT NULL, si BLOB NOT NULL, coh BLOB NOT NULL, target BLOB NOT NULL,
    ip BLOB NOT NULL, ref BLOB NOT NULL, place BLOB NOT NULL, client BLOB NOT NULL,
    lang BLOB NOT NULL
) STRICT;
CREATE INDEX chunk_time ON chunk (max_ts, min_ts);

CREATE TABLE salt (
    period TEXT NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
    salt BLOB NOT NULL, PRIMARY KEY (period, start_ms)
) STRICT, WITHOUT ROWID;

INSERT INTO dim_target VALUES (0, '(other)', '(other)', '(other)');
INSERT INTO dim_client VALUES
    (0, '(other)', '(other)', '(other)', '(other)', '(other)', '(other)');
INSERT INTO dim_place VALUES (0, '(other)', '(other)', '(other)', '(other)', '(other)', 0, 0);
INSERT INTO dim_value VALUES (1, 0, '(other)'), (1, 1, ''), (2, 0, '(other)'), (2, 1, '');
