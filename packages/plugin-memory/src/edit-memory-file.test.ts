import { createAgent, memoryStore, ShallotError, textOf, type RunResult } from '@shallot/core';
import { memoryFiles, type Files } from '@shallot/core/files';
import type { Store } from '@shallot/core/store';
import { scriptedModel } from '@shallot/testing';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';

import memory from './index.ts';

// A process that is suspended is one whose clock jumps.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const claimMs = 1000;
const path = '/AGENTS.md';
const adding = { toolCalls: [{ name: 'edit_memory', args: { path, new_text: 'Mine.' } }] };
const changed = '/AGENTS.md is changed.';

async function agentOver(store: Store, files: Files) {
  const model = scriptedModel([
    ({ messages }) => (messages.length > 1 ? { text: 'Noted.' } : adding),
    { text: 'Noted.' },
  ]);
  const plugins = [memory({ writable: true })];
  const agent = await createAgent({ model, store, files, plugins, claimMs, log: 'silent' });
  onTestFinished(() => agent.close());
  return agent;
}

function results({ messages }: RunResult): string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
}

async function textIn(files: Files): Promise<string> {
  return (await files.readText(path)).text;
}

/** Files whose writes come in two: what happens before a write, and the write. */
function writing(files: Files, write: (carryOut: () => Promise<string>) => Promise<string>): Files {
  return { ...files, write: (...args) => write(() => files.write(...args)) };
}

/** One process is suspended in the very write; another takes the session over, and is about to write, too. */
async function raced(beforeSecondWrite: (files: Files, firstWrite: () => Promise<unknown>) => Promise<void>) {
  const files = memoryFiles();
  await files.write(path, 'Old.\n');
  const store = memoryStore();
  const succeeded = Promise.withResolvers<RunResult>();
  const first = await agentOver(
    store,
    writing(files, async (write) => {
      vi.setSystemTime(Date.now() + claimMs + 1);
      let written: Promise<string> | undefined;
      const second = await agentOver(
        store,
        writing(files, async (writeToo) => {
          await beforeSecondWrite(files, () => (written ??= write()));
          return writeToo();
        }),
      );
      succeeded.resolve(await second.resume('s'));
      return written ?? write();
    }),
  );
  await expect(first.run('Note it.', { sessionId: 's' })).rejects.toThrow(ShallotError);
  return { said: results(await succeeded.promise), text: await textIn(files) };
}

it('an edit is made once when a suspended process writes after another has made it', async () => {
  expect(await raced(async () => {})).toEqual({ said: [changed], text: 'Old.\nMine.\n' });
});

it('an edit is made once when a suspended process writes just before another does', async () => {
  const race = raced(async (_files, firstWrite) => void (await firstWrite()));
  expect(await race).toEqual({ said: [changed], text: 'Old.\nMine.\n' });
});

it('an edit is not made again when somebody else wrote after the suspended process did', async () => {
  const race = raced(async (files, firstWrite) => {
    await firstWrite();
    await files.append(path, 'Theirs.\n');
  });
  expect(await race).toEqual({
    said: [expect.stringContaining('memory/EDIT_UNKNOWN')],
    text: 'Old.\nMine.\nTheirs.\n',
  });
});

it('an edit is made once when its write is reported as a conflict, but was made', async () => {
  const files = memoryFiles();
  await files.write(path, 'Old.\n');
  const lost = writing(files, async (write) => {
    await write();
    // The answer was lost, and the request repeated.
    throw new ShallotError('FILE_CONFLICT', { message: 'the file has changed' });
  });
  const agent = await agentOver(memoryStore(), lost);
  expect(results(await agent.run('Note it.'))).toEqual([changed]);
  expect(await textIn(files)).toBe('Old.\nMine.\n');
});

it('an edit is made on top of what others have written meanwhile', async () => {
  const files = memoryFiles();
  await files.write(path, 'Old.\n');
  let isFirst = true;
  const contended = writing(files, async (write) => {
    if (isFirst) await files.append(path, 'Theirs.\n');
    isFirst = false;
    return write();
  });
  const agent = await agentOver(memoryStore(), contended);
  expect(results(await agent.run('Note it.'))).toEqual([changed]);
  expect(await textIn(files)).toBe('Old.\nTheirs.\nMine.\n');
});
