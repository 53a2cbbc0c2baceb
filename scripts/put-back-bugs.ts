// Puts bugs back into a copy of the core's sources, one at a time, and checks that the oracle finds each of them within
// 500 worlds, and that it finds nothing without them: node scripts/put-back-bugs.ts [NAMES].
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { bugsToPutBack, withBug, type BugToPutBack } from './bugs-to-put-back.ts';
import { runToEnd } from './run-to-end.ts';
import { root } from './workspace.ts';

const worlds = 500;
const names = process.argv.slice(2);
const unknown = names.filter((name) => bugsToPutBack.every((bug) => bug.name !== name));
if (unknown.length > 0)
  throw new Error(`There is no bug ${unknown.join(', ')}. Pass names of scripts/bugs-to-put-back.ts.`);

const folder = mkdtempSync(join(tmpdir(), 'shallot-bugs-'));
try {
  if (names.length === 0) await expectFailure(undefined);
  for (const bug of bugsToPutBack)
    if (names.length === 0 || names.includes(bug.name)) await expectFailure(bug);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Plays worlds in a copy that has this bug: one must fail. Without a bug, none may fail. */
async function expectFailure(bug: BugToPutBack | undefined): Promise<void> {
  const copy = copyOfCore(bug?.name ?? 'as-it-is');
  if (bug !== undefined) putBack(bug, copy);
  const play = join(copy, 'test', 'oracle', 'play.ts');
  const { output } = await runToEnd('node', [play, '1', String(worlds), 'as-it-is']);
  const seed = /^seed (\d+)/m.exec(output)?.[1];
  // If no world was played, the failure has another cause.
  if (!/^\d+ worlds played\.$/m.test(output))
    throw new Error(`${bug?.name ?? 'The core'} cannot be played:\n${output}`);
  if ((seed === undefined) !== (bug === undefined)) {
    process.exitCode = 1;
    console.log(
      bug === undefined
        ? `The core differs without a bug:\n${output}`
        : `${bug.name}: not found in ${worlds} worlds`,
    );
  } else {
    console.log(
      bug === undefined ? `Without a bug, ${worlds} worlds are right.` : `${bug.name}: found by seed ${seed}`,
    );
  }
  rmSync(copy, { recursive: true, force: true });
}

function copyOfCore(name: string): string {
  const copy = join(folder, name);
  const core = join(root, 'packages', 'core');
  mkdirSync(copy);
  for (const part of ['package.json', 'src', 'test'])
    cpSync(join(core, part), join(copy, part), { recursive: true });
  symlinkSync(join(core, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function putBack(bug: BugToPutBack, copy: string): void {
  const path = join(copy, 'src', bug.file);
  writeFileSync(path, withBug(bug, readFileSync(path, 'utf8')));
}
