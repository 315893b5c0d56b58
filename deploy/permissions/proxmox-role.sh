#!/bin/sh
# Makes a role, a user and an API token for Rungar on a Proxmox VE 9 cluster, as root on one of its nodes:
#   sh proxmox-role.sh [PATH...]
# The paths are those the role is given on, such as /vms/9000 /pool/ci /storage/ceph /nodes /sdn/zones/localnetwork/vmbr0;
# without any it is given on /, which is simple and wide. The token's secret is printed, once.
set -eu

user=rungar@pve
token=daemon
privileges="Datastore.AllocateSpace Datastore.Audit Pool.Audit SDN.Use Sys.Audit VM.Allocate VM.Audit VM.Clone VM.Config.CPU VM.Config.Memory VM.Config.Options VM.GuestAgent.Audit VM.GuestAgent.FileWrite VM.PowerMgmt"
# Before version 9 the guest agent is behind VM.Monitor.
case $(pveversion) in
pve-manager/[1-8].*)
  privileges=$(printf '%s' "$privileges" | sed 's/VM\.GuestAgent\.Audit VM\.GuestAgent\.FileWrite/VM.Monitor/')
  ;;
esac

pveum role add Rungar --privs "$privileges" || pveum role modify Rungar --privs "$privileges"
pveum user add "$user" --comment 'Runners of GitHub Actions' || echo "the user $user is there already" >&2
[ $# -gt 0 ] || set -- /
for path in "$@"; do
  pveum acl modify "$path" --users "$user" --roles Rungar
done
pveum user token add "$user" "$token" --privsep 0
