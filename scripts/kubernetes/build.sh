#!/bin/sh
# Builds the Kubernetes control plane for tests, once, and prints the path of the program on the last line.
# Usage: scripts/kubernetes/build.sh
# The program is cached outside the checkout, in $ECSM_TOOLS or ~/.cache/ecsm-operator/tools. A cold build needs Go, the
# Go module proxy, about 800 CPU seconds and 3 GB for the caches of Go. The directory appears only after a complete build.
# Exits with 1 if it cannot be built, with the reason on standard error.
set -eu
version=1.34.4
cd "$(dirname "$0")"
tools=${ECSM_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/ecsm-operator/tools}
target=$tools/kubernetes-$version
if [ -x "$target/kube" ]; then
  echo "$target/kube"
  exit 0
fi
if ! command -v go >/dev/null 2>&1; then
  echo "kube-apiserver $version: not in $target, and there is no Go to build it with" >&2
  exit 1
fi
mkdir -p "$tools"
work=$(mktemp -d "$tools/.kubernetes-$version.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
echo "kube-apiserver $version: building from Go modules into $target, which takes several minutes" >&2
stamp=k8s.io/component-base/version
if ! CGO_ENABLED=0 go build -trimpath -o "$work/kube" \
  -ldflags "-s -w -X $stamp.gitVersion=v$version -X $stamp.gitMajor=1 -X $stamp.gitMinor=34" . 2>"$work/log"; then
  grep -v '^go: downloading' "$work/log" | tail -n 20 >&2
  echo "kube-apiserver $version: the build failed; it needs the Go module proxy" >&2
  exit 1
fi
rm -f "$work/log"
# Another build may have been faster: then its directory stays.
mv -T "$work" "$target" 2>/dev/null || [ -x "$target/kube" ]
echo "$target/kube"
