// Runs in its own process: `node search-cost.ts`. Measures the CPU milliseconds of a search in 100,000 files, against
// ripgrep.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { filesystem } from '@shallot/plugin-filesystem';

import { cpuMicros, median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';
import { oneCall } from './one-call.ts';

const directories = 1000;
const filesOfDirectory = 100;
const pattern = String.raw`needle\d+`;

const root = mkdtempSync(join(tmpdir(), 'shallot-bench-search-'));
try {
  writeFiles();
  const isBeside = spawnSync('rg', ['--version']).status === 0;
  if (!isBeside)
    process.stderr.write('ripgrep is not installed, so nothing is measured beside it: apt install ripgrep\n');
  const agent = await createAgent({
    model: oneCall('grep', { pattern }),
    files: diskFiles(root),
    plugins: [filesystem()],
    log: 'silent',
  });
  const turns = await takeTurns(
    [
      async () => {
        const begun = process.cpuUsage();
        await agent.run('Search.');
        return cpuMicros(begun) / 1000;
      },
      async () => (isBeside ? ripgrepMs() : Number.NaN),
    ],
    { warmup: 1, samples: 3 },
  );
  const beside = {
    ratio: median(turns.map(([ours, theirs]) => ours / theirs)),
    ripgrepMs: median(turns.map(([, theirs]) => theirs)),
  };
  const figures = { oursMs: median(turns.map(([ours]) => ours)), ...(isBeside ? beside : {}) };
  process.stdout.write(`\n${JSON.stringify(figures)}\n`);
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** Writes files of about 1.5 kB, only one of which has a match. */
function writeFiles(): void {
  const lines = Array.from({ length: 30 }, (_, line) => `export const value${line} = 'a line of a source';`);
  for (let directory = 0; directory < directories; directory += 1) {
    const path = join(root, `package-${directory % 30}`, `part-${directory}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < filesOfDirectory; file += 1)
      writeFileSync(join(path, `file-${file}.ts`), `${lines.join('\n')}\n// ${directory} ${file}\n`);
  }
  writeFileSync(join(root, 'package-7', 'found.ts'), 'const needle7 = true;\n');
}

/** Returns ripgrep's CPU time, user and system. Like our tool, it searches hidden files too. */
function ripgrepMs(): number {
  const line = `TIMEFORMAT='%U %S'; time rg --hidden -n '${pattern}' '${root}' > /dev/null`;
  const { stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(/\s+/).map(Number);
  return (user + system) * 1000;
}
