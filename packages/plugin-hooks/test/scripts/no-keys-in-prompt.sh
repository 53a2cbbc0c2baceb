#!/bin/sh
# UserPromptSubmit: blocks prompts with a key.
if grep -Eq '"prompt":"[^"]*sk-[A-Za-z0-9]{8}'; then
  echo 'the prompt has an API key' >&2
  exit 2
fi
