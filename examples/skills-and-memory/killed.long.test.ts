import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { diskFiles } from '@shallot/core/files';
import { sqliteStore } from '@shallot/core/sqlite';
import { parseHistory } from '@shallot/plugin-summarization';
import { afterAll, describe, expect, it } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'shallot-killed-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Goes on with the conversation of a folder until it is killed at a point. Whether it was. */
function goOn(folder: string, point: number): boolean {
  const args = ['--no-warnings', '--import', './kill-at.ts', 'killed-conversation.ts', folder, String(point)];
  const { status, signal, stderr } = spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  if (signal === 'SIGKILL') return true;
  if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
  return false;
}

function newFolder(name: string): string {
  const folder = join(root, name);
  cpSync(join(import.meta.dirname, 'workspace/skills'), join(folder, 'files/skills'), { recursive: true });
  return folder;
}

/** Returns a conversation's outcome, without ids and revisions, which differ from one to the next. */
async function left(folder: string) {
  const store = sqliteStore(join(folder, 'sessions.db'));
  const record = await store.load('killed');
  await store.close?.();
  const files = diskFiles(join(folder, 'files'));
  const names = readdirSync(join(folder, 'files/conversation_history'));
  const history = names.find((name) => name.endsWith('.md'));
  const { text } = await files.readText(`/conversation_history/${history}`);
  const { sections, end } = parseHistory(text);
  const kept = sections.flatMap(({ messages }) => messages);
  expect(end).toBe(text.length);
  expect(new Set(kept.map(({ id }) => id)).size).toBe(kept.length);
  expect(record).toMatchObject({ journal: {}, run: { status: 'completed', interrupts: [] } });
  expect(record?.claim).toBeUndefined();
  return {
    history: kept.map((message) => message.text),
    messages: record?.messages.map(withoutIds),
    state: withoutIds(record?.state),
    memory: (await files.readText('/AGENTS.md')).text,
    files: (await files.list('/', { recursive: true })).map(({ path }) => path),
  };
}

// `seen` is the size of the last request as its process measured it: one that resumes at the model call has not measured it,
// and counts the next request anew.
const differing: ReadonlySet<string> = new Set([
  'id',
  'last',
  'truncated',
  'revision',
  'marks',
  'data',
  'seen',
]);

function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value, (key, each: unknown) => (differing.has(key) ? undefined : each));
  return JSON.parse(text);
}

describe('A conversation whose process is killed again and again', () => {
  it('comes to the same end as one that is left alone', { timeout: 300_000 }, async () => {
    const alone = newFolder('alone');
    expect(goOn(alone, 0)).toBe(false);
    const end = await left(alone);
    expect(end.history.length).toBeGreaterThan(15);
    expect(end.messages?.[0]).toMatchObject({ source: 'summarization' });
    let killed = 0;
    for (const first of [35, 49]) {
      const folder = newFolder(`killed-${first}`);
      // Points near and far, the same in every test run.
      for (let at = first; goOn(folder, at + 1); at = (at * 5 + 3) % 61) killed += 1;
      expect(await left(folder)).toEqual(end);
    }
    expect(killed).toBeGreaterThan(8);
  });
});
