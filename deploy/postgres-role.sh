#!/bin/sh
# Makes the role and the database of the nodes, once: the image of PostgreSQL runs it when its
# volume is new. The role owns its database and may do nothing else; nobody uses the superuser.
set -e
export DATABASE_PASSWORD_FILE="${DATABASE_PASSWORD_FILE:-/run/secrets/database_password}"
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\set password `cat "$DATABASE_PASSWORD_FILE"`
CREATE ROLE slugline LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE slugline OWNER slugline;
REVOKE ALL ON DATABASE slugline FROM PUBLIC;
SQL
