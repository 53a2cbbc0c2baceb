#!/usr/bin/env node
import { refuseNode } from './node-version.ts';

const refusal = refuseNode(process.versions.node);
if (refusal !== undefined) {
  process.stderr.write(`${refusal}\n`);
  process.exit(2);
}
// Only now: on an older Node these imports themselves fail, with a page of somebody else's code.
const { enableCompileCache } = await import('node:module');
// Half of a start is compiling what has not changed since the last one. It never throws; its messages are not of use.
enableCompileCache();
const { sendConsoleToStderr } = await import('./console-to-stderr.ts');
const { shallot } = await import('./index.ts');

sendConsoleToStderr();
// A tool that ignored its signal must not keep the process; `shallot` has written everything when it resolves.
process.exit(await shallot(process.argv.slice(2)));
