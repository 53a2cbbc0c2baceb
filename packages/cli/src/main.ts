#!/usr/bin/env node
import { sendConsoleToStderr } from './console-to-stderr.ts';
import { shallot } from './index.ts';

sendConsoleToStderr();
// A tool that ignored its signal must not keep the process; `shallot` has written everything when it resolves.
process.exit(await shallot(process.argv.slice(2)));
