#!/bin/sh
# Any event: keeps it in a file, and says nothing.
tee -a "$CLAUDE_PROJECT_DIR/events.jsonl" >/dev/null
echo >> "$CLAUDE_PROJECT_DIR/events.jsonl"
