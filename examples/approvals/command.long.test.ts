import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';

interface Ended {
  /** Null when it was killed. */
  readonly status: number | null;
  readonly stdout: string;
}

interface Question {
  readonly id: string;
  readonly call: { readonly name: string };
}

function copyExample(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-approvals-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !generated.has(basename(path)) });
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}

/** Runs a program of the folder; with `lifeMs` it is killed with SIGKILL when it lives longer. */
function run(folder: string, args: readonly string[], lifeMs?: number): Promise<Ended> {
  const child = spawn(process.execPath, ['--no-warnings', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(lifeMs !== undefined && { timeout: Math.round(lifeMs), killSignal: 'SIGKILL' }),
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout }));
  });
}

const shallot = join(dirname(fileURLToPath(import.meta.resolve('shallot/package.json'))), 'src', 'main.ts');

async function pending(folder: string): Promise<readonly Question[]> {
  return JSON.parse((await run(folder, [shallot, 'pending', '--json'])).stdout) as Question[];
}

const answers: Readonly<Record<string, (id: string) => string[]>> = {
  write_file: (id) => [
    'approve',
    id,
    '--edit-args',
    '{ "path": "/list.txt", "content": "letters\\nbills\\n" }',
  ],
  delete_file: (id) => ['reject', id, '--reason', 'I am not done with the letters'],
};

it('is answered and resumed with the command, however often its processes are killed', async () => {
  const folder = copyExample();
  expect((await run(folder, ['begin.ts'])).status).toBe(0);
  const asked = await pending(folder);
  expect(asked.map(({ call }) => call.name)).toEqual(['write_file', 'delete_file']);

  for (const { id, call } of asked) {
    const answer = [shallot, ...(answers[call.name]?.(id) ?? [])];
    const isOpen = async (): Promise<boolean> => (await pending(folder)).some((open) => open.id === id);
    // Killed earlier or later: before the answer is on record, or after it.
    for (let lifeMs = 250; await isOpen(); lifeMs *= 1.5) await run(folder, answer, lifeMs);
    expect((await run(folder, answer)).status).toBe(2);
  }

  for (let lifeMs = 250; ; lifeMs *= 1.25) {
    const { status } = await run(folder, [shallot, 'resume', 'desk'], lifeMs);
    // 2: its run has ended, in the life before.
    if (status === 0 || status === 2) break;
    expect(status).toBe(null);
  }
  const { stdout } = await run(folder, [shallot, 'sessions', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ id: 'desk', status: 'completed', messages: 5 }]);
  expect(readFileSync(join(folder, '.shallot/desk/list.txt'), 'utf8')).toBe('letters\nbills\n');
  expect(readFileSync(join(folder, '.shallot/desk/letters.txt'), 'utf8')).toBe('Dear Ada …\n');
});
