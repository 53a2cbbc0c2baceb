import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { onTestFinished } from 'vitest';

/**
 * Creates a folder with the given files and this package's dependencies and manifest; a given manifest replaces that.
 * It is deleted when the test ends.
 */
export function testProject(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-matrix-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const here = join(import.meta.dirname, '..');
  for (const name of ['node_modules', 'package.json'])
    if (files[name] === undefined) symlinkSync(join(here, name), join(folder, name));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Returns the source of a module that exports a tool of this name. */
export function toolModule(name: string): string {
  return `export default { [Symbol.for('shallot.tool')]: true, name: '${name}', description: 'Sends.', inputSchema: {},
    returnDirectly: false, effect: 'write', validate: (value) => ({ ok: true, value }), execute: () => 'sent' };`;
}
