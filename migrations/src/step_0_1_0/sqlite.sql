-- The steps that the database has. A fingerprint is that of the step's statements.
CREATE TABLE slugline_steps (
    name text NOT NULL PRIMARY KEY,
    fingerprint text NOT NULL,
    taken_at integer NOT NULL
);

-- Links. A text column compares by code point.
CREATE TABLE short_links (
    -- A small key besides the identity. The index of texts refers to it, and it stays the same when SQLite
    -- repacks the file.
    number integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    id text NOT NULL UNIQUE,
    -- The name of a host; empty for the default domain.
    domain text NOT NULL DEFAULT '',
    slug text NOT NULL,
    destination text NOT NULL,
    comment text,
    title text,
    description text,
    image text,
    apple text,
    google text,
    geo text,
    redirect_with_query boolean,
    cloaking boolean,
    proxy boolean,
    flagged_unsafe boolean,
    rules text,
    -- The split. PostgreSQL has a function `split`.
    shares text,
    shares_until integer,
    forward_path boolean,
    password_hash text,
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    expires_at integer,
    ends_at integer,
    revision integer NOT NULL DEFAULT 0,
    starts_at integer,
    start_url text,
    expired_url text,
    max_visits integer,
    visits_used integer NOT NULL DEFAULT 0,
    disabled boolean NOT NULL DEFAULT FALSE,
    noindex boolean,
    visits_before integer,
    -- A copy of the tags, each after a capital T, so that finding a link reads one table.
    tags text,
    -- The digests of the request that made the link, in hexadecimal, if its client may send it again: a keyed
    -- one of its caller, key and position, and one of what it asked for.
    request_key text,
    request_digest text,
    -- Last, because they may be long and only searches read them.
    folded_text text NOT NULL,
    destination_key text NOT NULL
);
CREATE UNIQUE INDEX links_key ON short_links (domain, slug);
-- Serves lists of a domain's links by time: the default order reads it backwards.
CREATE INDEX links_time ON short_links (domain, created_at, slug);
CREATE INDEX links_destination ON short_links (destination_key);
-- Most links never end and need no entry.
CREATE INDEX links_expiry ON short_links (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX links_end ON short_links (ends_at) WHERE ends_at IS NOT NULL;
CREATE UNIQUE INDEX links_request ON short_links (request_key) WHERE request_key IS NOT NULL;

CREATE TABLE link_tags (
    link_id text NOT NULL REFERENCES short_links (id) ON DELETE CASCADE,
    tag text NOT NULL,
    PRIMARY KEY (link_id, tag)
);
CREATE INDEX link_tags_tag ON link_tags (tag, link_id);

-- The index of the searched texts by every three characters in a row. It holds no texts, only the rows of
-- each trigram: a third of the size, and a search compares the text of each hit anyway.
CREATE VIRTUAL TABLE link_search USING fts5(
    folded_text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail='none'
);
-- New texts, so that the writer indexes many at once. If a trigger writes to an FTS5 table, each statement
-- makes a segment that is merged later; that is a third of the cost of an insert.
CREATE TABLE link_search_queue (number INTEGER NOT NULL PRIMARY KEY);
CREATE TRIGGER link_search_insert AFTER INSERT ON short_links BEGIN
    INSERT INTO link_search_queue (number) VALUES (new.number);
END;
CREATE TRIGGER link_search_delete AFTER DELETE ON short_links BEGIN
    DELETE FROM link_search WHERE rowid = old.number;
    DELETE FROM link_search_queue WHERE number = old.number;
END;
CREATE TRIGGER link_search_update AFTER UPDATE OF folded_text ON short_links
WHEN new.folded_text <> old.folded_text BEGIN
    DELETE FROM link_search WHERE rowid = old.number;
    DELETE FROM link_search_queue WHERE number = old.number;
    INSERT INTO link_search_queue (number) VALUES (new.number);
END;

-- Former versions of links: a link as it was before a change, with everything that `short_links` has but
-- what is made for searches, and the change that ended the version.
CREATE TABLE link_versions (
    number integer NOT NULL PRIMARY KEY,
    id text NOT NULL,
    domain text NOT NULL,
    slug text NOT NULL,
    destination text NOT NULL,
    comment text,
    title text,
    description text,
    image text,
    apple text,
    google text,
    geo text,
    redirect_with_query boolean,
    cloaking boolean,
    proxy boolean,
    flagged_unsafe boolean,
    rules text,
    shares text,
    shares_until integer,
    forward_path boolean,
    password_hash text,
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    expires_at integer,
    ends_at integer,
    revision integer NOT NULL,
    starts_at integer,
    start_url text,
    expired_url text,
    max_visits integer,
    visits_used integer NOT NULL,
    disabled boolean NOT NULL,
    noindex boolean,
    visits_before integer,
    tags text,
    request_key text,
    request_digest text,
    -- Milliseconds.
    ended_at integer NOT NULL,
    ended_by text NOT NULL,
    operation text NOT NULL,
    -- The same moment if the link is in the trash.
    deleted_at integer
);
CREATE INDEX link_versions_link ON link_versions (id, number);
-- Few versions are in the trash.
CREATE INDEX link_versions_trash ON link_versions (deleted_at, number) WHERE deleted_at IS NOT NULL;
CREATE INDEX link_versions_request ON link_versions (request_key) WHERE request_key IS NOT NULL;

-- The failures in a row of destinations, which the watch found.
CREATE TABLE link_failures (
    link_id text NOT NULL PRIMARY KEY REFERENCES short_links (id) ON DELETE CASCADE,
    -- The destination that failed. The link may lead elsewhere by now.
    destination text NOT NULL,
    since integer NOT NULL,
    checked_at integer NOT NULL,
    times integer NOT NULL,
    status integer,
    reason text
);
CREATE INDEX link_failures_times ON link_failures (times, checked_at);

-- The lease and the round of the watch: one row. Moments are milliseconds.
CREATE TABLE watch_round (
    id integer NOT NULL PRIMARY KEY,
    watcher integer NOT NULL,
    leased_until integer NOT NULL,
    -- Null before the first round.
    started_at integer,
    -- The number of the last link that was asked.
    position integer NOT NULL
);
INSERT INTO watch_round (id, watcher, leased_until, position) VALUES (1, 0, 0, 0);

-- The named hosts, and what their operators decided. A null means what the instance decides.
CREATE TABLE domains (
    host text NOT NULL PRIMARY KEY,
    home_url text,
    not_found_url text,
    expired_url text,
    case_sensitive boolean,
    fall_through boolean NOT NULL,
    created_at integer NOT NULL
);

-- Named tokens. A digest is SHA-256 in hexadecimal, here and below.
CREATE TABLE tokens (
    name text NOT NULL PRIMARY KEY,
    digest text NOT NULL UNIQUE,
    -- Separated by blanks.
    scopes text NOT NULL,
    expires_at integer,
    created_at integer NOT NULL,
    last_used_at integer
);

-- The links that named tokens are bound to, by the digest in `tokens`.
CREATE TABLE token_bindings (
    digest text NOT NULL PRIMARY KEY,
    -- Identities of links, separated by blanks.
    link_ids text NOT NULL,
    -- Tags, each after a capital T.
    tags text NOT NULL,
    -- Names of hosts, separated by blanks; a dot for the default domain. Empty for links of all domains.
    domains text NOT NULL
);

-- Applications that registered themselves.
CREATE TABLE assistant_clients (
    id text NOT NULL PRIMARY KEY,
    name text NOT NULL,
    -- Addresses, each on a line.
    redirects text NOT NULL,
    created_at integer NOT NULL,
    -- 1 once somebody consented; others are removed when there are many.
    consented integer NOT NULL
);
-- Finds those that are removed.
CREATE INDEX assistant_clients_age ON assistant_clients (consented, created_at, id);

-- People who signed in to decide.
CREATE TABLE consent_sessions (
    -- Of the cookie.
    digest text NOT NULL PRIMARY KEY,
    -- The digest of a named token, or the mark that the site token leaves beside the cookie.
    holder text NOT NULL,
    ends_at integer NOT NULL
);

-- Decisions that were not exchanged for tokens yet.
CREATE TABLE consent_codes (
    digest text NOT NULL PRIMARY KEY,
    -- As in `consent_sessions`, beside the code.
    holder text NOT NULL,
    client_id text NOT NULL,
    client_name text NOT NULL,
    client_host text NOT NULL,
    redirect text NOT NULL,
    challenge text NOT NULL,
    -- As in `tokens`.
    scopes text NOT NULL,
    -- As in `token_bindings`; all three are empty if the tokens reach every link.
    link_ids text NOT NULL,
    tags text NOT NULL,
    domains text NOT NULL,
    resource text NOT NULL,
    until integer,
    expires_at integer NOT NULL,
    author text NOT NULL,
    author_client text
);

-- How tokens of assistants are renewed, by the digest in `tokens`.
CREATE TABLE assistant_connections (
    digest text NOT NULL PRIMARY KEY,
    -- The digest before the last renewal: who has that text may still give the tokens back.
    former text UNIQUE,
    family text NOT NULL UNIQUE,
    refresh text NOT NULL,
    code text NOT NULL UNIQUE,
    client_id text NOT NULL,
    client_name text NOT NULL,
    client_host text NOT NULL,
    -- What the person granted, as in `tokens`, which may have less until the next renewal.
    scopes text NOT NULL,
    resource text NOT NULL,
    until integer,
    ends_at integer NOT NULL
);
CREATE INDEX assistant_connections_ends_at ON assistant_connections (ends_at);

-- The audit trail: a line for each change. SQLite counts up without `AUTOINCREMENT`, which would cost
-- another write for each line.
CREATE TABLE audit_trail (
    number integer NOT NULL PRIMARY KEY,
    -- Milliseconds.
    at integer NOT NULL,
    caller text NOT NULL,
    client text,
    operation text NOT NULL,
    slug text,
    token text
);
-- Also finds the oldest lines, which are removed first.
CREATE INDEX audit_trail_at ON audit_trail (at, number);
CREATE INDEX audit_trail_slug ON audit_trail (slug, at);

-- Secrets that all nodes share: 32 bytes in hexadecimal. The first node that needs one draws it.
CREATE TABLE secrets (
    name text NOT NULL PRIMARY KEY,
    secret text NOT NULL
);

-- The progress of moving links from an older instance's store.
CREATE TABLE link_migration_runs (
    -- The process that starts the run chooses the number; of two at once, one succeeds.
    number integer NOT NULL PRIMARY KEY,
    pages integer NOT NULL,
    next text,
    scanned integer NOT NULL,
    inserted integer NOT NULL,
    skipped integer NOT NULL,
    expired integer NOT NULL,
    failed integer NOT NULL,
    ignored integer NOT NULL,
    began_at integer NOT NULL,
    ended_at integer
);
CREATE TABLE link_migration_failures (
    run integer NOT NULL,
    position integer NOT NULL,
    entry_key text NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (run, position)
);
