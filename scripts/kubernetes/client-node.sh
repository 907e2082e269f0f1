#!/bin/sh
# Installs Kubernetes' JavaScript client for tests, once, and prints the directory on the last line.
# Usage: scripts/kubernetes/client-node.sh
# It is 72 MB with what it needs, so it is not a dependency of the workspace: it is cached outside the checkout, in
# $ECSM_TOOLS or ~/.cache/ecsm-operator/tools. The directory appears only after a complete installation.
# Exits with 1 if it cannot be installed, with the reason on standard error.
set -eu
cd "$(dirname "$0")/client-node"
version=$(sed -n 's/.*"@kubernetes\/client-node": "\(.*\)".*/\1/p' package.json)
tools=${ECSM_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/ecsm-operator/tools}
target=$tools/client-node-$version
if [ -d "$target" ]; then
  echo "$target"
  exit 0
fi
mkdir -p "$tools"
work=$(mktemp -d "$tools/.client-node-$version.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cp package.json package-lock.json "$work"
if ! (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2); then
  echo "@kubernetes/client-node $version: the installation failed; it needs the package registry" >&2
  exit 1
fi
# Another installation may have been faster: then its directory stays.
mv -T "$work" "$target" 2>/dev/null || [ -d "$target" ]
echo "$target"
