#!/bin/sh
# Puts an etcd server where the tests find it: the one on the PATH, or Debian's package unpacked into .tools.
# Unpacking needs no root and starts no service. Always exits 0: the tests decide what a missing etcd means.
set -u
cd "$(dirname "$0")/.."
if command -v etcd >/dev/null 2>&1 || [ -x .tools/usr/bin/etcd ]; then exit 0; fi
if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg >/dev/null 2>&1; then
  echo "etcd: not on the PATH, and this machine has no apt-get to fetch Debian's etcd-server with"
  exit 0
fi
echo "etcd: fetching Debian's etcd-server into .tools"
mkdir -p .tools/download
fetch() { (cd .tools/download && apt-get download etcd-server >../apt.log 2>&1); }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null 2>&1; then sudo -n "$@"; else return 1; fi; }
if ! fetch; then
  # A fresh machine has no package lists yet.
  as_root apt-get update >.tools/apt.log 2>&1 && fetch || { echo "etcd: could not be fetched, see .tools/apt.log"; exit 0; }
fi
for package in .tools/download/etcd-server_*.deb; do dpkg -x "$package" .tools; done
[ -x .tools/usr/bin/etcd ] || echo "etcd: the package holds no /usr/bin/etcd"
exit 0
