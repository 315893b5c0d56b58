#!/bin/sh
# Stands where the Actions runner's own run.sh would be.
exec node "$(dirname "$0")/runner.mjs"
