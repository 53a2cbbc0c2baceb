#!/bin/sh
# PostToolUseFailure: gives the model advice.
grep -q '"error":"[^"]*not found' && echo '{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"Look at the list of files."}}'
exit 0
