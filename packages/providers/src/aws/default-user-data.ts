/**
 * What an instance runs at its first boot unless the runner block has `user_data`. It is part of the revision: a
 * changed letter here replaces the idle runners of every scale set that uses it.
 */
export const DEFAULT_USER_DATA = `#!/bin/bash
# Takes one job as the user "runner", then switches this machine off.
set -u
trap poweroff EXIT
export HOME=/home/runner
cd /home/runner
runuser --preserve-environment -u runner -- ./run.sh
`;
