import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import { afterAll, expect } from 'vitest';

import { allEffects, effectsOf, storedTree } from './background-scenario.ts';

const root = mkdtempSync(join(tmpdir(), 'shallot-background-'));
const program = fileURLToPath(
  new URL(`../../node_modules/.cache/background-${process.pid}.mjs`, import.meta.url),
);
await build({
  entryPoints: [fileURLToPath(new URL('background-scenario.ts', import.meta.url))],
  outfile: program,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
});
afterAll(() => {
  rmSync(program);
  rmSync(root, { recursive: true, force: true });
});

/** The commits of a tree before or after which its process dies; each death is in a new process. */
export type Deaths = readonly (readonly ['before' | 'after', number])[];

/**
 * Kills a tree at each of these commits, then lets it end, and checks the result. Returns the number of processes that
 * died.
 */
export async function survive(deaths: Deaths): Promise<number> {
  const name = deaths.map((death) => death.join('-')).join('_');
  const folder = join(root, name);
  mkdirSync(folder);
  let killed = 0;
  for (const [when, commit] of [...deaths, ['before', 0] as const]) {
    const child = spawn(process.execPath, ['--no-warnings', program, folder, when, String(commit)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (signal === 'SIGKILL') killed += 1;
    else expect({ name, code }).toEqual({ name, code: 0 });
  }
  const { counted, made, sessions, told } = await storedTree(folder);
  const effects = [...effectsOf(folder)].toSorted();
  const left = { name, effects, sessions, counted, told: told.length, toldOnce: new Set(told).size };
  expect(left).toEqual({ name, effects: allEffects, sessions: 4, counted: made, told: 3, toldOnce: 3 });
  rmSync(folder, { recursive: true });
  return killed;
}
