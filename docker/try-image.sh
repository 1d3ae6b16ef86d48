#!/usr/bin/env bash
# Tries dist/image.tar: migrates a database, then runs the API and the worker, as the image's user and with a read-only root.
#
#   DATABASE_URL=postgres://… docker/try-image.sh
#
# Needs root, 2 GB in $TMPDIR, curl and the Debian package buildah.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${DATABASE_URL:?names an empty database}"
[[ -f dist/image.tar ]] || { echo 'There is no dist/image.tar: docker/build-image.sh writes it.' >&2; exit 1; }

work=$(mktemp -d)
buildah() { command buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" "$@"; }
finish() {
  status=$?
  for pid in $(jobs -p); do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$work"
  exit $status
}
trap finish EXIT

container=$(buildah from --quiet "docker-archive:$PWD/dist/image.tar")
root=$(buildah mount "$container")
command=$(buildah inspect --format '{{range .OCIv1.Config.Cmd}}{{.}} {{end}}' "$container")
# A command from the image as its user, in a mount namespace of its own that goes with it.
in_image() {
  exec unshare --mount bash -euc '
    root=$1; shift
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    mount -t tmpfs -o uid=1000,gid=1000 tmpfs "$root/data"
    for device in null urandom; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
    mount -o remount,bind,ro "$root"
    exec chroot --userspec=1000:1000 "$root" /usr/bin/env -i -C /app PATH=/usr/local/bin:/usr/bin:/bin "$@"' _ \
    "$root" NODE_ENV=production DATA_DIR=/data DATABASE_URL="$DATABASE_URL" HOST=127.0.0.1 \
    DATA_ENCRYPTION_KEYS="$keys" "$@"
}
keys=$(head -c 32 /dev/urandom | base64)
api=${PORT:-3300}
probes=$((api + 1))
worker=$((api + 2))

if (in_image touch /home/node/written) 2>/dev/null; then echo 'The root can be written.' >&2; exit 1; fi
(in_image node --version)
(in_image node dist/apps/cli/src/main.js migrate)
# The command of the image without quotes: it has several words.
in_image PORT="$api" METRICS_PORT="$probes" $command >"$work/api.log" 2>&1 &
api_pid=$!
in_image WORKER_PORT="$worker" node dist/apps/worker/src/main.js >"$work/worker.log" 2>&1 &
worker_pid=$!
answers() { curl --silent --fail --output /dev/null --retry 60 --retry-delay 1 --retry-connrefused --retry-all-errors "$1"; }
for url in "$api/health/ready" "$probes/health/ready" "$api/docs" "$api/docs"/{guide,erp,glossary} "$worker/health/live"; do
  answers "http://127.0.0.1:$url" || { cat "$work"/{api,worker}.log >&2; exit 1; }
  echo "200 http://127.0.0.1:$url"
done
kill "$api_pid" "$worker_pid"
wait "$api_pid" && wait "$worker_pid"
echo 'The API and the worker have ended with 0.'
