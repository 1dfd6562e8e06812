#!/bin/sh
# Installs Slugline: downloads the program of a release, compares its checksum, and puts it into a folder of your PATH.
#
#   sh install.sh                           # the newest release
#   INSTALL_VERSION=0.1.0 sh install.sh     # a certain one
#   INSTALL_FOLDER=/opt/bin sh install.sh   # elsewhere than /usr/local/bin (root) or ~/.local/bin (others)
#   INSTALL_FROM=https://host/releases      # from a copy of the releases
set -eu

stop() { echo "install.sh: $*" >&2; exit 1; }

releases="${INSTALL_FROM:-}"
[ -n "$releases" ] || stop "this copy of the script names no releases; set INSTALL_FROM to their address"

case "$(uname -s)" in
    Linux) system=unknown-linux-musl ;;
    Darwin) system=apple-darwin ;;
    *) stop "no release for the system $(uname -s); docs/deploy.md says how to build the program" ;;
esac
case "$(uname -m)" in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) stop "no release for the processor $(uname -m); docs/deploy.md says how to build the program" ;;
esac
archive="slugline-$processor-$system.tar.gz"

if [ -n "${INSTALL_VERSION:-}" ]; then
    from="$releases/download/v${INSTALL_VERSION#v}"
else
    from="$releases/latest/download"
fi
if [ -n "${INSTALL_FOLDER:-}" ]; then
    folder="$INSTALL_FOLDER"
elif [ "$(id -u)" = 0 ]; then
    folder=/usr/local/bin
else
    folder="${HOME:?}/.local/bin"
fi

if command -v curl >/dev/null; then
    fetch() { curl --fail --silent --show-error --location --output "$2" "$1"; }
elif command -v wget >/dev/null; then
    fetch() { wget -q -O "$2" "$1"; }
else
    stop "neither curl nor wget is installed"
fi
if command -v sha256sum >/dev/null; then
    digest() { sha256sum "$1"; }
elif command -v shasum >/dev/null; then
    digest() { shasum -a 256 "$1"; }
else
    stop "neither sha256sum nor shasum is installed"
fi

# Nothing is left behind, and nothing is installed before it was compared.
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
for file in "$archive" SHA256SUMS; do
    fetch "$from/$file" "$work/$file" || stop "cannot download $from/$file"
done
expected="$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")"
actual="$(digest "$work/$archive" | cut -d ' ' -f 1)"
[ -n "$expected" ] || stop "SHA256SUMS does not name $archive"
[ "$expected" = "$actual" ] || stop "$archive is damaged: its checksum is $actual, not $expected"

tar -xzf "$work/$archive" -C "$work"
mkdir -p "$folder"
# A running program cannot be overwritten, and a rename replaces it at once.
cp "$work/slugline/slugline" "$folder/.slugline.new"
chmod 755 "$folder/.slugline.new"
mv -f "$folder/.slugline.new" "$folder/slugline"

echo "installed $("$folder/slugline" --version) as $folder/slugline"
case ":$PATH:" in
    *":$folder:"*) echo "next: slugline" ;;
    *) echo "next: $folder/slugline   ($folder is not in your PATH)" ;;
esac
