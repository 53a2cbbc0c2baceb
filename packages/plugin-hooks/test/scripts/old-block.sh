#!/bin/sh
# The format's first version: a decision at the top.
printf '%s\n' '{"decision":"block","reason":"no tools on Sundays"}'
