// Compares the public declarations of the built packages with the recorded ones, `public-api.txt` in each package. With
// `--write` they are recorded anew: the difference then stands in the change that made it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { publicApi } from './public-api.ts';
import { root, workspacePackages } from './workspace.ts';

const isWriting = process.argv.includes('--write');
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

if (changed.length > 0 && !isWriting) {
  console.error(
    `Public declarations have changed:\n${changed.join('\n')}\n\nIf that is meant, record them with: npm run api:record`,
  );
  process.exit(1);
}
console.log(`${published.length} packages, ${changed.length} recorded anew`);

function firstDifference(recorded: string, actual: string): string {
  const before = recorded.split('\n');
  const after = actual.split('\n');
  const line = after.findIndex((text, index) => text !== before[index]);
  const at = line === -1 ? after.length - 1 : line;
  return `line ${at + 1}\n  - ${before[at] ?? ''}\n  + ${after[at] ?? ''}`;
}
