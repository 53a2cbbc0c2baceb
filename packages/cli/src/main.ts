#!/usr/bin/env node
import { keepCompiledCode } from './keep-compiled-code.ts';
import { refuseNode } from './refuse-node.ts';

const args = process.argv.slice(2);
const refusal = refuseNode(process.versions.node);
if (refusal !== undefined) {
  process.stderr.write(`error ${refusal}\n`);
  process.exit(2);
}
if (args.length === 1 && ['-v', '--version'].includes(args[0] ?? '')) {
  // Here, so that nothing has to be loaded for it.
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  process.stdout.write(`${manifest.version}\n`);
} else {
  keepCompiledCode();
  // Only now: on an older Node this import itself fails, with a page of somebody else's code.
  const { ownProcess } = await import('./own-process.ts');
  await ownProcess(args);
}
