import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { sqliteStore } from '@shallot/core/sqlite';
import { answerInterrupts, pendingInterrupts } from '@shallot/core/work';
import { expect, it, onTestFinished, vi } from 'vitest';

const shallot = join(dirname(fileURLToPath(import.meta.resolve('shallot/package.json'))), 'src', 'main.ts');
const ask = [shallot, 'run', '--json', '--session', 'garden', 'Where could we make the garden?'];
const resume = [shallot, 'resume', '--json', 'garden'];

/** A copy of the example, so that the tests find an empty `.shallot` and leave none behind. */
function copyExample(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-research-team-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !generated.has(basename(path)) });
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'), 'dir');
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

async function run(folder: string, args: readonly string[]) {
  const { child, output, closed } = begin(folder, args);
  await closed;
  return { status: child.exitCode, ...output };
}

/** Kills a process once agents of this name, which then never answer, have so many results. */
async function killAt(
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

/** The sessions of the agents below the planner. */
async function treeOf(folder: string) {
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

it('is killed among its readers and behind its writer, and does nothing twice', async () => {
  const folder = copyExample();
  const report = join(folder, '.shallot/workspace/report.md');

  await killAt(folder, ask, 'reader', 3);
  const source = join(folder, '.shallot/workspace/sources/canal.md');
  // A reader that read again would find no place.
  writeFileSync(source, 'Nothing.\n');
  expect((await run(folder, resume)).status).toBe(3);
  expect(await treeOf(folder)).toMatchObject([
    { agent: 'reader', status: 'completed', results: 1 },
    { agent: 'reader', status: 'completed', results: 1 },
    { agent: 'reader', status: 'completed', results: 1 },
    { agent: 'writer', status: 'interrupted', results: 0 },
  ]);

  const store = sqliteStore(join(folder, '.shallot/sessions.db'));
  const [question, ...others] = await pendingInterrupts(store, 'garden');
  expect(others).toEqual([]);
  expect(question).toMatchObject({ plugin: 'hitl', call: { name: 'write_file' } });
  expect(question?.under).toHaveLength(1);
  await answerInterrupts(store, 'garden', { [question?.id ?? '']: { decision: 'approve' } });
  await store.close?.();

  await killAt(folder, resume, 'writer', 1);
  // A writer that wrote again would replace this.
  appendFileSync(report, '\nRead by a person.\n');
  const { status, stdout } = await run(folder, resume);
  expect(status).toBe(0);
  expect((await treeOf(folder)).map(({ agent, results }) => [agent, results])).toEqual([
    ['reader', 1],
    ['reader', 1],
    ['reader', 1],
    ['writer', 1],
  ]);
  const end = stdout.trimEnd().split('\n').at(-1) ?? '';
  expect(JSON.parse(end)).toMatchObject({ type: 'run-end', result: { usage: { modelCalls: 13 } } });
  expect(readFileSync(report, 'utf8')).toMatchInlineSnapshot(`
    "# Places for the garden

    Most sun first.

    - slope at the station: 0 euros a year; water: none, and the next tap is 300 metres off; sun: 11 hours (/sources/station.md)
    - strip along the canal: 240 euros a year; water: the canal itself, two steps down; sun: 8 hours (/sources/canal.md)
    - yard behind the old school: 90 euros a year; water: a tap at the wall, from May to October; sun: 3 hours (/sources/school.md)

    Read by a person.
    "
  `);
});

it('prints what the README shows, in any order of the readers', async () => {
  const folder = copyExample();
  const { status, stdout } = await run(folder, ['start.ts']);
  expect(status).toBe(0);
  const shown = /```text\n([\s\S]*?)```/.exec(readFileSync(join(folder, 'README.md'), 'utf8'))?.[1] ?? '';
  const sorted = (text: string): string[] => text.split('\n').toSorted();
  expect(sorted(stdout)).toEqual(sorted(shown));
});
