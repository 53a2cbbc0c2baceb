#!/usr/bin/env node
const { enableCompileCache } = await import('node:module');
// Half of a start is compiling what has not changed since the last one. It never throws; its messages are not of use, and an
// older Node has none.
enableCompileCache?.();
const { refuseNode } = await import('@shallot/core/plugin');

const refusal = refuseNode('shallot', process.versions.node);
if (refusal !== undefined) {
  process.stderr.write(`error ${refusal}\n`);
  process.exit(2);
}
// Only now: on an older Node these imports themselves fail, with a page of somebody else's code.
const { ownProcess } = await import('./own-process.ts');

await ownProcess(process.argv.slice(2));
