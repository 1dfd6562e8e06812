CREATE TABLE urls (id INTEGER PRIMARY KEY, long_url TEXT NOT NULL, short_url TEXT NOT NULL, hits INTEGER NOT NULL, expiry_time INTEGER, notes TEXT);
CREATE UNIQUE INDEX idx_short_url ON urls (short_url);
PRAGMA user_version = 4;
