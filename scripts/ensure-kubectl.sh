#!/bin/sh
# Ensures that the tests find kubectl: on the PATH, or in .tools, where the package of a newer Debian is unpacked.
# Debian 12 has none; the one of Debian 13 is a single program that runs there too. The mirror is the one that apt uses.
# Always exits 0: the tests handle a missing program.
set -u
cd "$(dirname "$0")/.."
version='1.32.3+ds-2'
if command -v kubectl >/dev/null 2>&1 || [ -x .tools/usr/bin/kubectl ]; then exit 0; fi
case "$(dpkg --print-architecture 2>/dev/null)" in
  amd64) sum=9825aaf4c14913027aae04af8688e580459f781c829bd5de00cc4dc2cc5a867f ;;
  *) echo "kubectl: not on the PATH, and there is no known package for this machine"; exit 0 ;;
esac
echo "kubectl: fetching Debian's kubectl $version into .tools"
mkdir -p .tools/download
uri=$(apt-get --print-uris download etcd-server 2>/dev/null | sed -n "s/^'\([^']*\)'.*/\1/p" | head -n 1)
file=.tools/download/kubectl.deb
if [ -z "$uri" ] || ! FROM="${uri%%/pool/*}/pool/main/k/kubernetes/kubectl_${version}_amd64.deb" TO=$file node -e '
  fetch(process.env.FROM, { signal: AbortSignal.timeout(60000) })
    .then((response) => (response.ok ? response.arrayBuffer() : Promise.reject(new Error(String(response.status)))))
    .then((bytes) => require("node:fs").writeFileSync(process.env.TO, Buffer.from(bytes)))
    .catch(() => process.exit(1))' 2>/dev/null; then
  echo 'kubectl: could not be fetched'
  exit 0
fi
if [ "$(sha256sum $file | cut -d ' ' -f 1)" != "$sum" ]; then echo 'kubectl: the package has another checksum than expected'; exit 0; fi
dpkg -x $file .tools && rm -f $file
exit 0
