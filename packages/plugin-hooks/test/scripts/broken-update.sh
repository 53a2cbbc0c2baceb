#!/bin/sh
# An edit that the tool does not take.
echo '{"hookSpecificOutput":{"updatedInput":{"command":7}}}'
