import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { textOf, type JsonValue } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { answerInterrupts, pendingInterrupts } from '@shallot/core/work';
import { expect, it, onTestFinished, vi } from 'vitest';

const shallot = join(dirname(fileURLToPath(import.meta.resolve('shallot/package.json'))), 'src', 'main.ts');
const resume = [shallot, 'resume', 'newsletter'];
const never = '600000';

/** A copy of the example, so that the tests find an empty `.shallot` and leave none behind. */
function copyExample(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-workspace-assistant-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const generated = new Set(['node_modules', '.shallot']);
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !generated.has(basename(path)) });
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}

function begin(folder: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--no-warnings', ...args], {
    cwd: folder,
    env: { PATH, HOME, OFFLINE_WORD_DELAY_MS: '0', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return { child, output, closed: once(child, 'close') };
}

async function run(folder: string, args: readonly string[], variables?: Readonly<Record<string, string>>) {
  const { child, output, closed } = begin(folder, args, variables);
  await closed;
  return { status: child.exitCode, ...output };
}

/** Answers the open questions of the session in this process, by the name of the tool that is to be called. */
async function answer(folder: string, answers: Readonly<Record<string, JsonValue>>): Promise<void> {
  const store = sqliteStore(join(folder, '.shallot/sessions.db'));
  const open = await pendingInterrupts(store, 'newsletter');
  expect(new Set(open.map(({ call }) => call?.name))).toEqual(new Set(Object.keys(answers)));
  const byId = open.map(({ id, call }) => [id, answers[call?.name ?? ''] ?? null] as const);
  await answerInterrupts(store, 'newsletter', Object.fromEntries(byId));
  await store.close?.();
}

async function sessionOf(folder: string) {
  const store = sqliteStore(join(folder, '.shallot/sessions.db'));
  const record = await store.load('newsletter');
  await store.close?.();
  const results = (record?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [`${message.name}: ${textOf(message).split('\n')[0]}`] : [],
  );
  return { status: record?.run?.status, results };
}

/** The processes that a process has started and that have not ended. */
function childrenOf(parent: number | undefined): number[] {
  return processes().flatMap(({ pid, ppid }) => (ppid === parent ? [pid] : []));
}

function processes() {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  const lines = stdout.trim().split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state = 'Z']) => !state.startsWith('Z'))
    .map(([pid, ppid]) => ({ pid: Number(pid), ppid: Number(ppid) }));
}

it('reads, asks, edits with approval, is killed, and finishes in another process', async () => {
  const folder = copyExample();
  const workspace = join(folder, '.shallot/workspace');
  const read = (path: string): string => readFileSync(join(workspace, path), 'utf8');

  const asking = await run(folder, ['start.ts']);
  expect(asking.stderr).toContain('Where is the honey sold?');
  expect(asking.status).toBe(0);
  await answer(folder, { ask_user: 'the bookshop' });

  const approving = await run(folder, [...resume, '--json']);
  expect(approving.status).toBe(3);
  expect(approving.stdout).toContain('"text-delta"');
  expect(approving.stdout).not.toContain('"restart"');
  expect(read('newsletter/draft.md')).toContain('TODO');
  await answer(folder, {
    edit_file: { decision: 'approve' },
    edit_memory: { decision: 'approve' },
    delete_file: { decision: 'reject', reason: 'We need the facts again' },
  });

  // In its last step it never gets past its first word.
  const { child, output, closed } = begin(folder, resume, { OFFLINE_WORD_DELAY_MS: never });
  await vi.waitFor(() => expect(output.stderr).toContain('step 6'), { timeout: 60_000 });
  const servers = childrenOf(child.pid);
  expect(servers).toHaveLength(1);
  child.kill('SIGKILL');
  await closed;
  expect((await sessionOf(folder)).status).toBe('running');
  await expect
    .poll(() => processes().filter(({ pid }) => servers.includes(pid)), { timeout: 60_000 })
    .toEqual([]);

  const { status, stdout } = await run(folder, resume);
  expect(status).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "That is what I did:
    - shell: draft.md
    - edit_file: Replaced one passage in /newsletter/draft.md.
    - edit_memory: /AGENTS.md is changed.
    - delete_file: The call of delete_file was rejected and not executed: We need the facts again
    - shell: The command was refused and not executed: the rule "rm" denies it.
    "
  `);
  expect(await sessionOf(folder)).toMatchInlineSnapshot(`
    {
      "results": [
        "skill: <skill name="finish-a-newsletter" path="/skills/finish-a-newsletter/SKILL.md">",
        "read_file: 1	# News from the roof",
        "read_file: 1	# Facts for the newsletter",
        "ask_user: Where is the honey sold?",
        "everything_get-sum: The sum of 31 and 55 is 86.",
        "shell: draft.md",
        "edit_file: Replaced one passage in /newsletter/draft.md.",
        "edit_memory: /AGENTS.md is changed.",
        "delete_file: The call of delete_file was rejected and not executed: We need the facts again",
        "shell: The command was refused and not executed: the rule "rm" denies it.",
      ],
      "status": "completed",
    }
  `);
  expect(read('newsletter/draft.md')).toMatchInlineSnapshot(`
    "# News from the roof

    The bees have done well this year. The harvest is 86 kilograms.

    The honey is sold at the bookshop.
    "
  `);
  expect(read('AGENTS.md').match(/bookshop/g)).toHaveLength(1);
  expect(existsSync(join(workspace, 'newsletter/facts.md'))).toBe(true);
  const traces = readdirSync(join(folder, '.shallot/traces'));
  expect(traces.every((name) => /^newsletter-.+\.jsonl$/.test(name))).toBe(true);
  expect(traces).not.toEqual([]);
});

it('says which key is missing once a real model is named', async () => {
  const { status, stderr } = await run(copyExample(), ['start.ts'], { SHALLOT_MODEL: 'openai/gpt-5' });
  expect(status).toBe(2);
  expect(stderr).toContain('OPENAI_API_KEY');
});
