#!/bin/sh
# PostToolUse: adds to a result by JSON.
echo '{"decision":"block","reason":"The coverage fell.","systemMessage":"coverage fell"}'
