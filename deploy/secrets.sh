#!/bin/sh
# Makes the secrets of compose.cluster.yaml, once, in a folder `secrets` beside this file.
#
# The folder is its owner's alone. The files in it can be read by everybody, because containers
# get them with their owner and mode, and run under accounts of their own.
set -eu
umask 022
folder="${1:-$(dirname "$0")/secrets}"
mkdir -m 700 "$folder"
cd "$folder"

# 256 bits, in characters that need no escape in a URL or in XML.
secret() { head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

secret > site_token
secret > postgres_password
secret > database_password
printf 'postgres://slugline:%s@postgres:5432/slugline' "$(cat database_password)" > database_url

clickhouse="$(secret)"
printf 'clickhouse+http://slugline:%s@clickhouse:8123/slugline' "$clickhouse" > analytics_url
hash="$(printf '%s' "$clickhouse" | sha256sum | cut -d ' ' -f 1)"
cat > clickhouse_users.xml <<XML
<clickhouse>
  <users>
    <default remove="remove"/>
    <slugline>
      <password_sha256_hex>$hash</password_sha256_hex>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </slugline>
  </users>
</clickhouse>
XML
echo "made $(pwd)"
