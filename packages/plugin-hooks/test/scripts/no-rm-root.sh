#!/bin/sh
# Blocks the removal of the root or of the home directory.
if grep -Eq '"command":"[^"]*rm +-[a-z]*r[a-z]* +(/|~)( |"|\*)'; then
  echo 'rm of the root directory is not allowed' >&2
  exit 2
fi
