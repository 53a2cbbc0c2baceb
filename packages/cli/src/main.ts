#!/usr/bin/env node
import { keepCompiledCode } from './keep-compiled-code.ts';
import { projectCommand } from './project-command.ts';
import { refuseNode } from './refuse-node.ts';

const args = process.argv.slice(2);
const refusal = refuseNode(process.versions.node);
if (refusal !== undefined) {
  process.stderr.write(`error ${refusal}\n`);
  process.exit(2);
}
const other = projectCommand(args, process.cwd());
if (other !== undefined) {
  // The project's own command has the version that its packages were installed with.
  await import(process.getBuiltinModule('node:url').pathToFileURL(other).href);
} else if (args.length === 1 && ['-v', '--version'].includes(args[0] ?? '')) {
  // Handled here, so that nothing else has to be loaded.
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  process.stdout.write(`${manifest.version}\n`);
} else {
  keepCompiledCode();
  // Imported lazily: on an older Node this import fails with an obscure error.
  const { ownProcess } = await import('./own-process.ts');
  await ownProcess(args);
}
