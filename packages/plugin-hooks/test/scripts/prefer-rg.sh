#!/bin/sh
# Sends the model to the faster tool.
if grep -q '"command":"grep '; then
  echo 'Use rg instead of grep.' >&2
  echo 'It also skips ignored files.' >&2
  exit 2
fi
