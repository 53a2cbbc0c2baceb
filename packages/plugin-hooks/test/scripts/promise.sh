#!/bin/sh
# Stop: goes on until the last answer keeps its promise.
path=$(sed -n 's/.*"transcript_path":"\([^"]*\)".*/\1/p')
[ -f "$path" ] || { echo 'there is no transcript' >&2; exit 1; }
if ! grep '"role":"assistant"' "$path" | tail -1 | grep -q 'ALL DONE'; then
  echo '{"decision":"block","reason":"Go on, and write ALL DONE at the end."}'
fi
