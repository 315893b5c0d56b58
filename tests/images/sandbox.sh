#!/bin/sh
# Runs a command in a root of its own, which goes with it: the host's programs, a copy of its /etc, and folders that are
# empty. As root, in a mount namespace that is not the host's: unshare --mount --propagation private sh sandbox.sh ROOT COMMAND...
set -eu
root=$1
shift

for folder in bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$folder" ]; then
    cp -a "/$folder" "$root/$folder"
  elif [ -d "/$folder" ]; then
    mkdir -p "$root/$folder" && mount --bind -o ro "/$folder" "$root/$folder"
  fi
done
for folder in usr dev proc; do
  mkdir -p "$root/$folder" && mount --rbind "/$folder" "$root/$folder"
done
mkdir -p "$root/opt/node" && mount --bind "$NODE_FOLDER" "$root/opt/node"
mkdir -p "$root/etc" "$root/home" "$root/root" "$root/run" "$root/tmp" "$root/var/lib/apt/lists"
[ -e "$root/etc/passwd" ] || cp -a /etc/. "$root/etc"
exec chroot "$root" "$@"
