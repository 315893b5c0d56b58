#!/bin/bash
# Puts GitHub's runner program into an image of Ubuntu 24.04 (or another Debian), as root:
#   RUNNER_VERSION=2.x.y RUNNER_SHA256=... bash install-runner.sh
# Both are on https://github.com/actions/runner/releases. Neither has a default: GitHub turns a version away about a month
# after the next one, so a number that stood here would soon make images that get no job.
#   RUNNER_ARCH      x64 or arm64; that of this machine unless set
#   RUNNER_BASE_URL  where releases are downloaded from
#   RUNNER_SUDO      yes lets jobs become root on their machine
#   PACKAGES         what jobs find installed, beside what the runner itself needs; empty for nothing
set -euo pipefail

: "${RUNNER_VERSION:?is not set: which version of the runner program}"
: "${RUNNER_SHA256:?is not set: the SHA-256 of its archive}"
case ${RUNNER_ARCH:-$(uname -m)} in
x64 | x86_64) arch=x64 ;;
arm64 | aarch64) arch=arm64 ;;
*)
  echo "there is no runner program for ${RUNNER_ARCH:-$(uname -m)}" >&2
  exit 1
  ;;
esac
base=${RUNNER_BASE_URL:-https://github.com/actions/runner/releases/download}
packages=${PACKAGES-git jq unzip zip}
export DEBIAN_FRONTEND=noninteractive

# The first boot of the machine that the image is made on may still be at work, and hold apt's lock. Where nothing has
# booted, in a mounted image say, there is nothing to wait for.
if [[ -d /run/systemd/system ]] && command -v cloud-init >/dev/null; then cloud-init status --wait >/dev/null || true; fi

if [[ -n $packages ]]; then
  apt-get update
  # shellcheck disable=SC2086 # a list of words
  apt-get install --yes --no-install-recommends ca-certificates curl $packages
fi

id runner >/dev/null 2>&1 || useradd --create-home --shell /bin/bash runner
home=$(getent passwd runner | cut -d: -f6)
if [[ $home != /home/runner ]]; then
  echo "the user runner lives in $home, and the scripts that start it look in /home/runner" >&2
  exit 1
fi

archive=$(mktemp)
trap 'rm -f "$archive"' EXIT
curl --fail --silent --show-error --location --retry 3 --output "$archive" \
  "$base/v$RUNNER_VERSION/actions-runner-linux-$arch-$RUNNER_VERSION.tar.gz"
echo "$RUNNER_SHA256  $archive" | sha256sum --check --quiet
tar --extract --gzip --file "$archive" --directory "$home" --no-same-owner
chown --recursive runner: "$home"
if [[ -n $packages ]]; then "$home/bin/installdependencies.sh"; fi

if [[ ${RUNNER_SUDO:-no} == yes ]]; then
  echo 'runner ALL=(ALL) NOPASSWD:ALL' >/etc/sudoers.d/runner
  chmod 0440 /etc/sudoers.d/runner
fi

# A machine lives for one job: what looks for updates while it runs only takes time and locks from it.
for unit in apt-daily.timer apt-daily-upgrade.timer unattended-upgrades.service; do
  systemctl disable "$unit" >/dev/null 2>&1 || true
done

# Each machine of the image is a new one.
if command -v cloud-init >/dev/null; then cloud-init clean --logs; fi
: >/etc/machine-id
rm -rf /var/lib/apt/lists/*
echo "the runner program $RUNNER_VERSION ($arch) is in $home"
