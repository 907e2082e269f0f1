#!/bin/sh
# Ensures that the tests find the etcd server, etcdctl and etcdutl of a line of releases in .tools/etcd-<line>: the packages
# of a newer Debian are unpacked there, whose programs run on older ones too. The mirror is the one that apt uses.
# Usage: scripts/ensure-etcd.sh 3.5
# Always exits 0: the tests handle missing programs. 3.4 is Debian 12's own (ensure-tool.sh); for 3.6 there is no package
# (scripts/etcd/build.sh).
set -u
cd "$(dirname "$0")/.."
line=$1
target=.tools/etcd-$line
if [ -x "$target/etcd" ]; then exit 0; fi
case "$line $(dpkg --print-architecture 2>/dev/null)" in
  '3.5 amd64') version=3.5.16-4; sums='0875921bb0d023f2af9b8e15cdfbe417a03e65731345fb832c40f9c2dd72967b 7eb67e305ba2ce523a5a0b29bf88750ded3f724769c7111a83382b7909f9977b' ;;
  *) echo "etcd $line: there is no known package for this machine"; exit 0 ;;
esac
uri=$(apt-get --print-uris download etcd-server 2>/dev/null | sed -n "s/^'\([^']*\)'.*/\1/p" | head -n 1)
if [ -z "$uri" ]; then echo "etcd $line: apt knows no mirror to fetch it from"; exit 0; fi
echo "etcd $line: fetching Debian's etcd $version into $target"
mkdir -p .tools
work=$(mktemp -d ".tools/.etcd-$line.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 0' HUP INT TERM
for package in etcd-server etcd-client; do
  sum=${sums%% *}
  sums=${sums#* }
  file=$work/$package.deb
  if ! FROM="${uri%%/pool/*}/pool/main/e/etcd/${package}_${version}_amd64.deb" TO=$file node -e '
    fetch(process.env.FROM, { signal: AbortSignal.timeout(60000) })
      .then((response) => (response.ok ? response.arrayBuffer() : Promise.reject(new Error(String(response.status)))))
      .then((bytes) => require("node:fs").writeFileSync(process.env.TO, Buffer.from(bytes)))
      .catch(() => process.exit(1))' 2>/dev/null; then
    echo "etcd $line: $package could not be fetched"
    exit 0
  fi
  if [ "$(sha256sum "$file" | cut -d ' ' -f 1)" != "$sum" ]; then
    echo "etcd $line: $package has another checksum than expected"
    exit 0
  fi
  dpkg -x "$file" "$work"
done
# Another run may have been faster: then its directory stays.
mv -T "$work/usr/bin" "$target" 2>/dev/null || true
exit 0
