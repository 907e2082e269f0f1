#!/bin/sh
# Ensures that the tests find a program: on the PATH, or in .tools, where Debian packages are unpacked.
# Usage: scripts/ensure-tool.sh <program or library> <Debian package> [packages that it needs]
# Unpacking needs no root and starts no service. Always exits 0: the tests handle a missing program.
set -u
cd "$(dirname "$0")/.."
program=$1
shift
unpacked() { [ -x ".tools/usr/bin/$program" ] || ls .tools/usr/lib/*/"$program" >/dev/null 2>&1; }
if command -v "$program" >/dev/null 2>&1 || unpacked || ls /usr/lib/*/"$program" >/dev/null 2>&1; then exit 0; fi
if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg >/dev/null 2>&1; then
  echo "$program: not on the PATH, and this machine has no apt-get to fetch Debian's $1 with"
  exit 0
fi
echo "$program: fetching Debian's $1 into .tools"
mkdir -p .tools/download
fetch() { (cd .tools/download && apt-get download "$@" >../apt.log 2>&1); }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null 2>&1; then sudo -n "$@"; else return 1; fi; }
if ! fetch "$@"; then
  # A new machine has no package lists.
  as_root apt-get update >.tools/apt.log 2>&1 && fetch "$@" || { echo "$program: could not be fetched, see .tools/apt.log"; exit 0; }
fi
for package in "$@"; do dpkg -x .tools/download/"$package"_*.deb .tools; done
unpacked || echo "$program: the package does not contain it"
exit 0
