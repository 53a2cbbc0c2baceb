#!/bin/sh
# Fails without blocking.
echo 'jq: command not found' >&2
exit 1
