#!/bin/sh
# UserPromptSubmit and SessionStart: plain output is context.
echo 'The branch is main.'
