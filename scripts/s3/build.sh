#!/bin/sh
# Builds an S3 server for tests, once, and prints the directory of the program (versitygw) on the last line: it checks
# signatures, and knows conditional puts, which rclone (scripts/ensure-s3.sh) does not.
# The directory is cached outside the checkout, in $ECSM_TOOLS or ~/.cache/ecsm-operator/tools. A cold build needs Go, the
# Go module proxy and about 180 CPU seconds. The directory appears only after a complete build.
# Exits with 1 if it cannot be built, with the reason on standard error.
set -eu
cd "$(dirname "$0")/versitygw"
version=$(sed -n 's|.*github.com/versity/versitygw v||p' go.mod)
tools=${ECSM_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/ecsm-operator/tools}
target=$tools/versitygw-$version
if [ -x "$target/versitygw" ]; then
  echo "$target"
  exit 0
fi
if ! command -v go >/dev/null 2>&1; then
  echo "versitygw $version: not in $target, and there is no Go to build it with" >&2
  exit 1
fi
mkdir -p "$tools"
work=$(mktemp -d "$tools/.versitygw-$version.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
echo "versitygw $version: building from Go modules into $target, which takes some minutes" >&2
if ! CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$work/versitygw" github.com/versity/versitygw/cmd/versitygw \
  2>"$work/log"; then
  grep -v '^go: downloading' "$work/log" | tail -n 20 >&2
  echo "versitygw $version: the build failed; it needs the Go module proxy" >&2
  exit 1
fi
rm -f "$work/log"
# Another build may have been faster: then its directory stays.
mv -T "$work" "$target" 2>/dev/null || [ -x "$target/versitygw" ]
echo "$target"
