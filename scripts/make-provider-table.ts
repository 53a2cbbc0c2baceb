// Tests the providers against servers on loopback, and writes the results into the guide: node
// scripts/make-provider-table.ts
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { outputTable } from '../packages/model-ai-sdk/test/wire/output-table.ts';
import { providerTable } from '../packages/model-ai-sdk/test/wire/provider-table.ts';
import { rulesTable } from '../packages/model-ai-sdk/test/wire/rules-table.ts';

const root = join(import.meta.dirname, '..');
const tables = [
  ['docs/guides/models.md', '| provider ', providerTable()],
  ['docs/guides/structured-output.md', '| provider ', outputTable()],
  ['docs/reference/vendor-rules.md', '| interface ', rulesTable()],
] as const;

for (const [path, beginning, table] of tables) {
  const file = join(root, path);
  const lines = readFileSync(file, 'utf8').split('\n');
  const from = lines.findIndex((line) => line.startsWith(beginning));
  const to = lines.findIndex((line, index) => index > from && !line.startsWith('|'));
  if (from === -1) throw new Error(`${path} has no table of providers.`);
  writeFileSync(file, [...lines.slice(0, from), table, ...lines.slice(to)].join('\n'));
}

// The tests produce each cell of both tables; they update the guides, or compare with them.
const tests = ['providers', 'structured-output'].map(
  (name) => `packages/model-ai-sdk/test/wire/${name}.slow.test.ts`,
);
const { status } = spawnSync('npx', ['vitest', 'run', ...tests], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
