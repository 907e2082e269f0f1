#!/bin/sh
# Builds a release of etcd for tests, once, and prints the directory of the programs (etcd, etcdctl, etcdutl) on the last
# line. Usage: scripts/etcd/build.sh 3.5|3.6
# The directory is cached outside the checkout, in $ECSM_TOOLS or ~/.cache/ecsm-operator/tools. A cold build needs Go, the
# Go module proxy and about 100 CPU seconds. The directory appears only after a complete build.
# Exits with 1 if it cannot be built, with the reason on standard error.
set -eu
cd "$(dirname "$0")/${1:?the line of releases: 3.5 or 3.6}"
version=$(sed -n 's|.*go.etcd.io/etcd/server/v3 v||p' go.mod)
tools=${ECSM_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/ecsm-operator/tools}
target=$tools/etcd-$version
if [ -x "$target/etcd" ]; then
  echo "$target"
  exit 0
fi
if ! command -v go >/dev/null 2>&1; then
  echo "etcd $version: not in $target, and there is no Go to build it with" >&2
  exit 1
fi
mkdir -p "$tools"
work=$(mktemp -d "$tools/.etcd-$version.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
echo "etcd $version: building from Go modules into $target, which takes a minute or more" >&2
for program in etcd:. etcdctl:go.etcd.io/etcd/etcdctl/v3 etcdutl:go.etcd.io/etcd/etcdutl/v3; do
  if ! CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$work/${program%%:*}" "${program#*:}" 2>"$work/log"; then
    grep -v '^go: downloading' "$work/log" | tail -n 20 >&2
    echo "etcd $version: the build failed; it needs the Go module proxy" >&2
    exit 1
  fi
done
rm -f "$work/log"
# Another build may have been faster: then its directory stays.
mv -T "$work" "$target" 2>/dev/null || [ -x "$target/etcd" ]
echo "$target"
