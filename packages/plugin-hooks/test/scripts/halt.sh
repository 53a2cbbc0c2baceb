#!/bin/sh
# Ends the whole run.
echo '{"continue":false,"stopReason":"The budget of the day is spent."}'
