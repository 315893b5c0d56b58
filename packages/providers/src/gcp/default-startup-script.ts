/**
 * What an instance runs when it boots unless the runner block has `startup_script`. It is part of the revision: a
 * changed letter here replaces the idle runners of every scale set that uses it.
 */
export const DEFAULT_STARTUP_SCRIPT = `#!/bin/bash
# Takes one job as the user "runner", then switches this machine off.
set -u
trap poweroff EXIT
attributes=http://metadata.google.internal/computeMetadata/v1/instance/attributes
ACTIONS_RUNNER_INPUT_JITCONFIG=$(curl -sSf --retry 5 -H 'Metadata-Flavor: Google' "$attributes/rungar-jitconfig") || exit 1
export ACTIONS_RUNNER_INPUT_JITCONFIG HOME=/home/runner
cd /home/runner
runuser --preserve-environment -u runner -- ./run.sh
`;
