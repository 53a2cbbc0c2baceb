#!/bin/sh
echo '{"decision":"approve","reason":"as it was written in the first version"}'
