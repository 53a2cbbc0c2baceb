#!/bin/sh
# Asks a person about what cannot be taken back.
grep -q 'npm publish' && printf '%s' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"publishing is for ever"}}'
exit 0
