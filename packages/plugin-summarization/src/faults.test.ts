import type { Files } from '@shallot/core/files';
import { memoryFiles } from '@shallot/core/files';
import { modelError } from '@shallot/core/model';
import { describe, expect, it } from 'vitest';

import { conversation, talker, texts, type TalkerOptions } from '../test/conversation.ts';
import type { SummarizationOptions } from './settings/options.ts';

const small = { trigger: { messages: 6 }, keep: { messages: 2 }, truncateArguments: null } as const;
const never = new Promise<never>(() => {});

async function talked(summary: TalkerOptions['summary'], options: SummarizationOptions = {}, exchanges = 4) {
  const model = talker(summary === undefined ? {} : { summary });
  const talk = await conversation(model, { ...small, ...options });
  const failures: unknown[] = [];
  for (let exchange = 1; exchange <= exchanges; exchange += 1) {
    await talk.say(`Question ${exchange}.`).catch((error: unknown) => failures.push(error));
  }
  return { model, talk, failures };
}

const bad: readonly (readonly [string, NonNullable<TalkerOptions['summary']>])[] = [
  ['throws', () => Promise.reject(modelError('MODEL_OVERLOADED', { message: 'No time.' }))],
  ['throws something that is no error', () => Promise.reject('no')],
  ['hangs', () => never],
  ['gives nothing', () => '  \n'],
  ['gives more than it got', () => 'more and more '.repeat(500)],
  [
    'finds everything too long',
    () => Promise.reject(modelError('MODEL_CONTEXT_OVERFLOW', { message: 'Too long.' })),
  ],
];

describe('A summariser that fails', () => {
  it.each(bad)('leaves the history as it is when it %s', async (_, summary) => {
    const { model, talk, failures } = await talked(summary, { timeoutMs: 50 });
    expect(failures).toEqual([]);
    expect(talk.warned()).toEqual(['summarization/SUMMARY_FAILED']);
    expect(texts(await talk.messages())).toEqual(texts(talk.said));
    expect(model.requests.at(-1)?.messages).toHaveLength(7);
  });

  it.each(bad)(
    'fails the run when it %s and that was asked for, and the session goes on after that',
    async (_, summary) => {
      const { talk, failures } = await talked(summary, { timeoutMs: 50, onFailure: 'throw' });
      expect(failures).toMatchObject([
        {
          code: 'summarization/SUMMARY_FAILED',
          message: expect.stringMatching(/its summary failed: .*[^.]\.$/s) as unknown,
          plugin: 'summarization',
          hook: 'beforeModel',
        },
      ]);
      expect((await talk.messages()).filter(({ source }) => source === 'summarization')).toEqual([]);
    },
  );

  it('is asked again only when the history has grown by 10 percent', async () => {
    const model = talker({ summary: (_, index) => (index < 4 ? '' : 'Better.') });
    const talk = await conversation(model, { ...small, trigger: { tokens: 1000 } });
    const sizes: number[] = [];
    await talk.say('word '.repeat(1000));
    while (model.summaryRequests.length < 4) {
      const asked = model.summaryRequests.length;
      await talk.say('word '.repeat(20));
      const size = talk.events.findLast((event) => event.type === 'message')?.usage?.input ?? 0;
      if (model.summaryRequests.length > asked) sizes.push(size);
    }
    const growth = sizes.slice(1, 3).map((size, index) => size / (sizes[index] ?? 0));
    // An exchange is about 4 percent.
    expect(growth.every((factor) => factor > 1.08 && factor < 1.16)).toBe(true);
    expect(talk.warned()).toHaveLength(3);
    expect(talk.happened('summarized')).toMatchObject([{ kept: 2 }]);
  });

  it('lets an abort through, and changes nothing then', async () => {
    const abort = new AbortController();
    const model = talker({ summary: () => (setImmediate(() => abort.abort()), never) });
    const talk = await conversation(model, small);
    for (const text of ['a', 'b', 'c']) await talk.say(text);
    const running = talk.agent.run('d', { sessionId: 'talk', signal: abort.signal });
    await expect(running).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(texts(await talk.messages()).slice(0, 6)).toEqual(texts(talk.said));
    expect(talk.warned()).toEqual([]);
  });
});

/** Files of which every n-th call fails. */
function failingEvery(n: number): Files & { readonly inner: Files } {
  const inner = memoryFiles();
  let calls = 0;
  const flaky = <A extends unknown[], R>(method: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      calls += 1;
      if (calls % n === 0) throw new Error(`the call ${calls} fails`);
      return method(...args);
    };
  };
  return {
    inner,
    list: flaky(inner.list),
    stat: flaky(inner.stat),
    read: flaky(inner.read),
    readText: flaky(inner.readText),
    write: flaky(inner.write),
    append: flaky(inner.append),
    remove: flaky(inner.remove),
  };
}

describe('Files that fail', () => {
  it.each([1, 2, 3, 4, 5, 7])('at every call %i are warned of; the conversation goes on', async (n) => {
    const files = failingEvery(n);
    const model = talker();
    const talk = await conversation(model, small, { files });
    for (let exchange = 1; exchange <= 40; exchange += 1) await talk.say(`Question ${exchange}.`);
    const summarized = talk.happened('summarized');
    const warned = talk.warned();
    expect(summarized.length).toBeGreaterThan(8);
    expect(new Set(warned)).toEqual(new Set(['summarization/OFFLOAD_FAILED']));
    expect(summarized.filter(({ path }) => path === undefined)).toHaveLength(warned.length);
    // A summary without a path is the summary alone.
    const last = summarized.at(-1);
    expect(texts(await talk.messages())[0]?.includes('/conversation_history/talk.md')).toBe(
      last?.['path'] !== undefined,
    );
    const kept = (await talk.historyOf(files.inner)).flatMap(({ messages }) => messages.map(({ id }) => id));
    const said = talk.said.map(({ id }) => id);
    // The file has every message once, in order.
    expect(new Set(kept).size).toBe(kept.length);
    expect(kept).toEqual(said.filter((id) => kept.includes(id)));
  });

  it('lose no message that stays: it is in the file as soon as there is one', async () => {
    const files = memoryFiles();
    let appends = 0;
    const flaky: Files = {
      ...files,
      append: async (path, data) => {
        appends += 1;
        if (appends === 1) throw new Error('no disk yet');
        return files.append(path, data);
      },
    };
    const model = talker({ say: (_, index) => (index < 12 ? { callId: 'note', args: { index } } : 'Done.') });
    const talk = await conversation(model, small, { files: flaky });
    await talk.say('Take notes.');
    const kept = (await talk.historyOf(files)).flatMap(({ messages }) => messages);
    expect(kept.filter(({ text }) => text === '### user\n\nTake notes.')).toHaveLength(1);
    expect(new Set(kept.map(({ id }) => id)).size).toBe(kept.length);
    expect(kept.some(({ text }) => text.includes('Summary 1.'))).toBe(false);
  });

  it.each(['FILE_TOO_LARGE', 'FILE_FAILED', 'FILE_KIND'])(
    'with %s are not taken for a file that is not there',
    async (code) => {
      const inner = memoryFiles();
      const appended: unknown[] = [];
      const files: Files = {
        ...inner,
        stat: () => Promise.reject(Object.assign(new Error(code), { code })),
        append: async (...args) => {
          appended.push(args);
          return inner.append(...args);
        },
      };
      const talk = await conversation(talker(), small, { files });
      for (let exchange = 1; exchange <= 4; exchange += 1) await talk.say('Hello.');
      expect(appended).toEqual([]);
      expect(talk.warned()).toEqual(['summarization/OFFLOAD_FAILED']);
    },
  );
});
