#!/usr/bin/env node
import { shallot } from './index.ts';

// A tool that ignored its signal must not keep the process; `shallot` has written everything when it resolves.
process.exit(await shallot(process.argv.slice(2)));
