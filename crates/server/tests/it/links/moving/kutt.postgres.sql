CREATE TABLE domains (id serial PRIMARY KEY, banned boolean NOT NULL DEFAULT false, address varchar(255) NOT NULL UNIQUE, homepage varchar(255), user_id int, uuid uuid NOT NULL DEFAULT gen_random_uuid());
CREATE TABLE links (id serial PRIMARY KEY, address varchar(255) NOT NULL, description varchar(255), banned boolean NOT NULL DEFAULT false, banned_by_id int, domain_id int, password varchar(255), expire_in timestamptz, target varchar(2097152) NOT NULL, user_id int, visit_count int NOT NULL DEFAULT 0, uuid uuid NOT NULL DEFAULT gen_random_uuid(), created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL);
CREATE INDEX links_address ON links (address);
SET TimeZone = 'UTC';
