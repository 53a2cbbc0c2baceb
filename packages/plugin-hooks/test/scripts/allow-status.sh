#!/bin/sh
# Allows what only looks.
grep -q '"command":"git status"' && echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"it only looks"}}'
exit 0
