#!/bin/sh
# PreCompact: keeps the conversation before it is shortened.
path=$(sed -n 's/.*"transcript_path":"\([^"]*\)".*/\1/p')
cp "$path" "$CLAUDE_PROJECT_DIR/kept.jsonl"
