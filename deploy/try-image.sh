#!/bin/sh
# Builds the image around a static program, and tries it as container engines run it: 64 MiB of memory, one processor, a
# read-only root, no capabilities. `cargo xtask image` builds the program and starts this, which needs root, buildah,
# runc and curl.
#
#   deploy/try-image.sh path/of/slugline
set -eu
cd "$(dirname "$0")/.."
program="$1"
account=65532
token=token-of-the-image-test
work="$(mktemp -d)"

buildah() { command buildah --root "$work/store" --runroot "$work/run" "$@"; }
fail() { echo "try-image.sh: $*" >&2; [ ! -f "$work/log" ] || cat "$work/log" >&2; exit 1; }
clean() {
    runc delete --force slugline-try 2>/dev/null || true
    umount --lazy "$work/full" 2>/dev/null || true
    buildah umount --all >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap clean EXIT

# The last stage of the Containerfile takes what its first stage would have built from this folder.
mkdir -p "$work/stage/image/usr/local/bin" "$work/stage/state/data"
chmod 700 "$work/stage/state/data"
cp "$program" "$work/stage/image/usr/local/bin/slugline"
buildah build --quiet --isolation chroot --format docker --build-context "build=$work/stage" \
    --tag slugline --file deploy/Containerfile . >/dev/null
root="$(buildah mount "$(buildah from localhost/slugline)")"
said() { buildah inspect --type image --format "$1" localhost/slugline; }
[ "$(said '{{.Docker.Config.User}}')" = "$account:$account" ] || fail "the image has another account"
[ "$(said '{{index .Docker.Config.Entrypoint 0}}')" = /usr/local/bin/slugline ] || fail "another program starts"

# start FOLDER: runs the image with this folder of the host as its volume.
start() {
    cat > "$work/config.json" <<JSON
{
  "ociVersion": "1.0.2",
  "process": {
    "user": {"uid": $account, "gid": $account}, "cwd": "/", "noNewPrivileges": true, "capabilities": {},
    "args": ["/usr/local/bin/slugline"],
    "env": ["SLUGLINE_LISTEN=127.0.0.1:18099", "SLUGLINE_DATA_DIR=/data", "SQLITE_TMPDIR=/data",
            "SLUGLINE_SITE_TOKEN=$token"]
  },
  "root": {"path": "$root", "readonly": true},
  "mounts": [
    {"destination": "/proc", "type": "proc", "source": "proc"},
    {"destination": "/data", "type": "bind", "source": "$1", "options": ["bind", "rw"]}
  ],
  "linux": {
    "namespaces": [{"type": "pid"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}],
    "cgroupsPath": "/slugline-try",
    "resources": {"memory": {"limit": 67108864}, "cpu": {"quota": 100000, "period": 100000}}
  }
}
JSON
    runc run --bundle "$work" slugline-try > "$work/log" 2>&1 &
    service=$!
}
stop() { runc kill slugline-try TERM; wait "$service" || fail "it ended with $?"; }

# Waits until it is ready, for a minute.
ready() {
    for _ in $(seq 300); do
        ! curl --silent --fail --output /dev/null http://127.0.0.1:18099/_health/ready || return 0
        sleep 0.2
    done
    fail "it is not ready"
}

# ask STATUS METHOD PATH [BODY]: prints the body of an answer that must have this status.
ask() {
    status="$(curl --silent --request "$2" --output "$work/answer" \
        --write-out '%{http_code}\n' --header "Authorization: Bearer $token" --json "${4:-}" \
        "http://127.0.0.1:18099$3" | sort -u)"
    [ "$status" = "$1" ] || fail "$2 $3: $status in place of $1: $(cat "$work/answer")"
    cat "$work/answer"
}
link() { printf '{"url": "https://example.com/", "slug": "%s"}' "$1"; }
volume() { mkdir "$work/$1"; chown "$account:$account" "$work/$1"; }

volume data
start "$work/data"
ready
ask 201 POST /api/link/create "$(link hello)" >/dev/null
ask 301 GET '/hello?[1-5000]'
runc exec slugline-try /usr/local/bin/slugline healthcheck >/dev/null || fail "not healthy"
memory="$(runc events --stats slugline-try | grep -o '"max":[0-9]*' | head -n 1)"
stop
grep -q 'slugline::service: stopped' "$work/log" || fail "no orderly end"
start "$work/data"
ready
ask 301 GET /hello
ask 200 GET /api/stats/counters | grep -q '"visitors":1,' || fail "visits were lost: $(cat "$work/answer")"
stop
echo "served 5000 visits, ended in order, and kept everything; most memory in bytes: ${memory#*:} of 67108864"

volume full
mount -t tmpfs -o "size=6m,mode=700,uid=$account,gid=$account" tmpfs "$work/full"
start "$work/full"
ready
ask 201 POST /api/link/create "$(link hello)" >/dev/null
! dd if=/dev/zero of="$work/full/filling" bs=64k 2>/dev/null || fail "the volume is not full"
ask 503 POST /api/link/create "$(link other)" >/dev/null
ask 301 GET /hello
rm "$work/full/filling"
ask 201 POST /api/link/create "$(link other)" >/dev/null
stop
echo "with a full volume: redirects went on, and a new link was refused until there was room"

mkdir "$work/foreign"
start "$work/foreign"
! wait "$service" || fail "it started with a volume of root"
grep 'SLUGLINE_DATA_DIR is "/data", which cannot be written' "$work/log" || fail "it does not say why"
