#!/bin/sh
# PostToolUse and its failure: warns the model after two failures.
path=$(sed -n 's/.*"transcript_path":"\([^"]*\)".*/\1/p')
count=$(grep -c '"is_error":true' "$path")
[ "$count" -ge 1 ] && echo '{"hookSpecificOutput":{"additionalContext":"This is not the first failure: stop and think."}}'
exit 0
