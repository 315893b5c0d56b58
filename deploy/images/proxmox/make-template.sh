#!/bin/bash
# Makes a template of Ubuntu 24.04 with the runner program, as root on a node of Proxmox VE 8 or 9 that has libguestfs-tools:
#   RUNNER_VERSION=2.x.y RUNNER_SHA256=... bash make-template.sh VMID STORAGE [BRIDGE]
# What else install-runner.sh takes from the environment, it takes here.
#   IMAGE_URL  the folder of the cloud image and its SHA256SUMS
#   DISK       how large the machines' disk is
set -euo pipefail

if (($# < 2)); then
  echo 'usage: make-template.sh VMID STORAGE [BRIDGE]' >&2
  exit 2
fi
vmid=$1 storage=$2 bridge=${3:-vmbr0}
: "${RUNNER_VERSION:?is not set: which version of the runner program}"
: "${RUNNER_SHA256:?is not set: the SHA-256 of its archive}"
image=noble-server-cloudimg-amd64.img
url=${IMAGE_URL:-https://cloud-images.ubuntu.com/noble/current}
here=$(cd "$(dirname "$0")" && pwd)

command -v virt-customize >/dev/null || {
  echo 'virt-customize is missing: apt-get install libguestfs-tools' >&2
  exit 1
}
if qm status "$vmid" >/dev/null 2>&1; then
  echo "there is a VM $vmid already: choose another VMID, or remove that one" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
curl --fail --silent --show-error --location --remote-name "$url/$image"
curl --fail --silent --show-error --location --remote-name "$url/SHA256SUMS"
grep " [*]\?$image\$" SHA256SUMS | sha256sum --check --quiet

# Values are quoted for the shell in the image.
printf 'export %s=%q\n' RUNNER_VERSION "$RUNNER_VERSION" RUNNER_SHA256 "$RUNNER_SHA256" RUNNER_ARCH x64 \
  RUNNER_SUDO "${RUNNER_SUDO:-no}" PACKAGES "${PACKAGES-git jq unzip zip}" >environment
if [[ -n ${RUNNER_BASE_URL:-} ]]; then printf 'export RUNNER_BASE_URL=%q\n' "$RUNNER_BASE_URL" >>environment; fi

virt-customize --add "$image" \
  --install qemu-guest-agent \
  --upload environment:/root/environment \
  --upload "$here/../install-runner.sh:/root/install-runner.sh" \
  --run-command '. /root/environment && bash /root/install-runner.sh' \
  --delete /root/environment \
  --delete /root/install-runner.sh \
  --upload "$here/rungar.conf:/etc/tmpfiles.d/rungar.conf" \
  --upload "$here/rungar-runner.service:/etc/systemd/system/rungar-runner.service" \
  --upload "$here/rungar-runner:/usr/local/sbin/rungar-runner" \
  --chmod 0755:/usr/local/sbin/rungar-runner \
  --run-command 'systemctl enable rungar-runner.service'

qm create "$vmid" --name runner-template --ostype l26 --cores 2 --memory 2048 --cpu host --agent enabled=1 \
  --scsihw virtio-scsi-single --scsi0 "$storage:0,import-from=$work/$image,discard=on,iothread=1" --boot order=scsi0 \
  --net0 "virtio,bridge=$bridge" --serial0 socket --vga serial0 \
  --ide2 "$storage:cloudinit" --ipconfig0 ip=dhcp
qm disk resize "$vmid" scsi0 "${DISK:-40G}"
qm template "$vmid"
echo "template: $vmid"
