import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { noted, testDirectory } from '../../test/mcp.ts';

const asker = join(import.meta.dirname, '../../test/programs/killed-asker.ts');

/** Runs an agent with one call in a process, which is killed when the server asks; the answers are to what waits. */
function killedAsker(server: string, call: object) {
  const folder = testDirectory();
  const run = (...answers: readonly string[]) =>
    spawnSync(process.execPath, [asker, folder, server, JSON.stringify(call), ...answers], {
      encoding: 'utf8',
    });
  return { folder, run };
}

it('a question survives the process: killed after each of three, the server sees each answer once', () => {
  const { folder, run } = killedAsker('booking-server.ts', { name: 's_book', args: { what: 'a hive' } });
  expect(run().signal).toBe('SIGKILL');
  expect(run('{"when":"May"}').signal).toBe('SIGKILL');
  expect(run('{"who":"Ada","note":"two"}').signal).toBe('SIGKILL');
  const last = run('{"sure":"yes"}');
  expect([last.status, last.stderr]).toEqual([0, '']);
  const { outcome, messages } = JSON.parse(last.stdout) as { outcome: string; messages: object[] };
  expect(outcome).toBe('completed');
  expect(messages.at(-2)).toMatchObject({ content: [{ text: 'booked a hive' }], data: { booked: 'a hive' } });
  expect(JSON.stringify(messages)).not.toContain('round');

  const log = noted(join(folder, 'server.txt'));
  const asked = log.filter(({ asks }) => asks !== undefined);
  const calls = log.filter(({ asks, state }) => asks === undefined && state !== 'booked');
  expect(calls).toHaveLength(4);
  expect(log.filter(({ state }) => state === 'booked')).toHaveLength(1);
  expect(calls.map(({ state }) => state)).toEqual([undefined, ...asked.map(({ state }) => state)]);
  expect(calls.map(({ inputResponses }) => inputResponses)).toEqual([
    undefined,
    { [asked[0]?.asks ?? '']: { action: 'accept', content: { when: 'May', note: 'none' } } },
    { [asked[1]?.asks ?? '']: { action: 'accept', content: { who: 'Ada', note: 'two' } } },
    { [asked[2]?.asks ?? '']: { action: 'accept', content: { sure: 'yes', note: 'none' } } },
  ]);
}, 120_000);

it.each([
  ['a resource', { name: 's_read_resource', args: { uri: 'book://1' } }, ['book://1:\nOnce upon a time.']],
  ['a prompt', { name: 's_get_prompt', args: { name: 'review' } }, ['user:', 'Review it.']],
])(
  'a question about %s survives the process, too',
  (_, call, texts) => {
    const { folder, run } = killedAsker('library-server.ts', call);
    expect(run().signal).toBe('SIGKILL');
    const last = run('{"reader":"Ada"}');
    expect([last.status, last.stderr]).toEqual([0, '']);
    const { messages } = JSON.parse(last.stdout) as { messages: { content: { text: string }[] }[] };
    expect(messages.at(-2)?.content.map(({ text }) => text)).toEqual(texts);
    const [first, asked, second, ...more] = noted(join(folder, 'server.txt'));
    expect(first).toEqual({});
    expect(second).toEqual({
      state: asked?.state,
      inputResponses: { [asked?.asks ?? '']: { action: 'accept', content: { reader: 'Ada' } } },
    });
    expect(more).toEqual([]);
  },
  120_000,
);
