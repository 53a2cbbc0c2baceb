// Compares the public declarations of the built packages with the recorded ones, in `public-api.txt` of each package.
// With `--write` it records them, so the difference becomes part of the change that caused it. With `--release` it also
// records the plugin API as released: from then on a change of its declarations needs a new version.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { pluginApi } from '../packages/core/src/contract/plugin.ts';
import { pluginApiRecord, recordFault } from './plugin-api-bump.ts';
import { publicApi } from './public-api.ts';
import { root, workspacePackages } from './workspace.ts';

const isReleasing = process.argv.includes('--release');
const isWriting = isReleasing || process.argv.includes('--write');
const published = workspacePackages().filter(({ manifest }) => manifest.private !== true);
const changed: string[] = [];

for (const one of published) {
  const file = join(one.folder, 'public-api.txt');
  const recorded = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const actual = publicApi(one);
  if (recorded === actual) continue;
  changed.push(`${relative(root, file)}: ${firstDifference(recorded, actual)}`);
  if (isWriting) writeFileSync(file, actual);
}

const fault = pluginApiFault();
if (fault !== undefined) {
  console.error(fault);
  process.exit(1);
}

if (changed.length > 0 && !isWriting) {
  console.error(
    `Public declarations have changed:\n${changed.join('\n')}\n\nIf that is meant, record them with: npm run api:record`,
  );
  process.exit(1);
}
console.log(`${published.length} packages, ${changed.length} recorded anew`);

/**
 * Compares the declarations that plugins use with those released last. Before the first release anything may change.
 * Returns the fault; without one, `--release` records the declarations.
 */
function pluginApiFault(): string | undefined {
  const core = published.find(({ manifest }) => manifest.name === '@shallot/core');
  if (core === undefined) throw new Error('there is no package @shallot/core');
  const entries = Object.entries(core.manifest.publishConfig?.exports ?? {});
  // Entries that plugins do not use: programs load configs and open databases, the command's entry has its own version,
  // and `./testing` only throws.
  const others = new Set(['./command', './config', './sqlite', './testing']);
  const exports = Object.fromEntries(entries.filter(([path]) => !others.has(path)));
  const current = pluginApiRecord(
    pluginApi,
    publicApi({ ...core, manifest: { ...core.manifest, publishConfig: { exports } } }),
  );
  const file = join(core.folder, 'plugin-api.txt');
  const released = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  const found = released === undefined ? undefined : recordFault(released, current);
  if (isReleasing && found === undefined) writeFileSync(file, current);
  return found;
}

function firstDifference(recorded: string, actual: string): string {
  const before = recorded.split('\n');
  const after = actual.split('\n');
  const line = after.findIndex((text, index) => text !== before[index]);
  const at = line === -1 ? after.length - 1 : line;
  return `line ${at + 1}\n  - ${before[at] ?? ''}\n  + ${after[at] ?? ''}`;
}
