import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { sqliteStore } from '@shallot/core/sqlite';
import { expect, onTestFinished, vi } from 'vitest';

const shallot = join(dirname(fileURLToPath(import.meta.resolve('shallot/package.json'))), 'src', 'main.ts');
const example = dirname(import.meta.dirname);
export const ask = [shallot, 'run', '--json', '--session', 'garden', 'Where could we make the garden?'];
export const resume = [shallot, 'resume', '--json', 'garden'];

/** Copies the example, so that the tests find no `.shallot` and leave none behind. */
export function copyExample(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-research-team-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  cpSync(example, folder, { recursive: true, filter: (path) => !generated.has(basename(path)) });
  symlinkSync(join(example, 'node_modules'), join(folder, 'node_modules'), 'dir');
  cpSync(join(folder, 'workspace'), join(folder, '.shallot/workspace'), { recursive: true });
  return folder;
}

function begin(folder: string, args: readonly string[], hangs = '') {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--no-warnings', ...args], {
    cwd: folder,
    env: { PATH, HOME, OFFLINE_HANGS: hangs },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  return { child, output, closed: once(child, 'close') };
}

export async function run(folder: string, args: readonly string[]) {
  const { child, output, closed } = begin(folder, args);
  await closed;
  return { status: child.exitCode, ...output };
}

/**
 * Starts a process, and kills it once the agents of this name have `results` results; these agents then never answer.
 */
export async function killAt(
  folder: string,
  args: readonly string[],
  agent: string,
  results: number,
): Promise<void> {
  const { child, closed } = begin(folder, args, agent);
  const counted = async (): Promise<number> =>
    (await treeOf(folder)).filter((each) => each.agent === agent && each.results > 0).length;
  await vi.waitFor(async () => expect(await counted()).toBe(results), { timeout: 60_000 });
  child.kill('SIGKILL');
  await closed;
}

/** Returns the sessions of the agents below the planner. */
export async function treeOf(folder: string) {
  const store = sqliteStore(join(folder, '.shallot/sessions.db'));
  const tree: { readonly agent: string; readonly status: string; readonly results: number }[] = [];
  for await (const { id } of store.list({ parent: 'garden' })) {
    const { run: { agent, status } = {}, messages = [] } = (await store.load(id)) ?? {};
    const results = messages.filter(({ role }) => role === 'tool').length;
    tree.push({ agent: agent?.id ?? '', status: status ?? '', results });
  }
  await store.close?.();
  return tree.toSorted((a, b) => a.agent.localeCompare(b.agent));
}
