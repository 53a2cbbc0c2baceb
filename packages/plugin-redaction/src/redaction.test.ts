import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  textOf,
  type AssistantPart,
} from '@shallot/core';
import { writtenInput } from '@shallot/core/plugin';
import {
  collectEvents,
  scriptedModel,
  testPlugin,
  type ScriptedModel,
  type ScriptedStep,
} from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import redaction, { restorePlaceholders, type RedactionOptions } from './index.ts';
import { placeholder } from './replacements.ts';
import { SealKey } from './seal-key.ts';

await testPlugin(redaction, {
  manifest: new URL('../package.json', import.meta.url),
  olderState: { originals: { 1: { email: ['anna@example.org'] } } },
});

const key = '0123456789abcdef0123456789abcdef';
const seal = new SealKey(key);
const named = (kind: string, value: string): string => placeholder(kind, seal.tagOf(kind, value));
const anna = named('email', 'anna@example.org');
const bob = named('email', 'bob@example.org');
const address = named('ip', '192.0.2.17');

interface Given {
  readonly steps: readonly ScriptedStep[];
  readonly options?: RedactionOptions;
  readonly input?: string;
  readonly result?: string;
}

async function outcomeOf({ steps, options, input = 'Go', result = 'Sent.' }: Given) {
  const executed: unknown[] = [];
  const model = scriptedModel(steps);
  const agent = await createAgent({
    model,
    tools: [
      defineTool({
        name: 'send',
        description: 'Sends.',
        input: { type: 'object', properties: { to: { type: 'string' } } },
        execute: (args) => {
          executed.push(args);
          return result;
        },
      }),
    ],
    plugins: [redaction({ key, ...options })],
    log: 'silent',
  });
  const stream = agent.stream(input, { sessionId: 'one' });
  const { events } = await collectEvents(stream);
  const outcome = await stream.result.catch((error: unknown) => error);
  const session = await agent.session('one');
  await agent.close();
  const streamed = events.flatMap((event) => ('text' in event ? [event.text] : []));
  return { executed, outcome, session, streamed, model, events };
}

function requestsOf({ requests }: ScriptedModel) {
  return requests.map(({ messages, instructions }) => ({ messages, instructions }));
}

const call = { toolCalls: [{ name: 'send', args: { to: 'anna@example.org' } }] };

describe('nothing that is found', () => {
  it('reaches the model, the stream or the store', async () => {
    const { executed, session, streamed, model, events } = await outcomeOf({
      steps: [call, { chunks: ['I wrote to an', 'na@exam', 'ple.org from 192.0.', '2.17.'] }],
      input: 'Write to anna@example.org',
      result: 'Sent by 192.0.2.17',
    });
    const seen = JSON.stringify([session, streamed, requestsOf(model), events]);
    expect(seen).not.toMatch(/anna|192\.0/);
    expect(streamed.join('')).toContain(`I wrote to ${anna} from ${address}`);
    expect(events.some(({ type }) => type === 'restart')).toBe(false);
    expect(session?.messages.map(textOf)).toEqual([
      `Write to ${anna}`,
      '',
      `Sent by ${address}`,
      `I wrote to ${anna} from ${address}.`,
    ]);
    expect(executed).toEqual([{ to: 'anna@example.org' }]);
  });
});

it('forgets what it holds when an attempt breaks off and another one begins', async () => {
  const retry = definePlugin({
    name: 'retry',
    priority: 38,
    async wrapModelCall(request, next) {
      try {
        return await next(request);
      } catch {
        return next(request);
      }
    },
  });
  const agent = await createAgent({
    model: scriptedModel([
      { chunks: ['Hello from an'], end: 'broken' },
      { chunks: ['na@example.org is it'] },
    ]),
    plugins: [redaction({ key }), retry()],
    log: 'silent',
  });
  const stream = agent.stream('Go');
  const { events } = await collectEvents(stream);
  await agent.close();
  const streamed = events.flatMap((event) =>
    event.type === 'restart' ? ['|'] : event.type === 'text-delta' ? [event.text] : [],
  );
  expect(streamed.join('')).toBe(`Hello from |${named('email', 'na@example.org')} is it`);
});

it('what a provider looked up is redacted, but not what only it can read', async () => {
  const encrypted = `${'QWxhIG1hIGtvdGE'.repeat(9)}4111111111111111`;
  const parts: readonly AssistantPart[] = [
    { type: 'provider-call', id: 'w', name: 'find', input: { query: 'anna@example.org' } },
    { type: 'provider-result', callId: 'w', name: 'find', result: { text: 'anna@example.org', encrypted } },
    { type: 'source', id: '1', url: 'https://bees.example', title: 'Mail anna@example.org' },
    {
      type: 'text',
      text: 'Found.',
      citations: [{ source: { id: '1', title: 'Bees' }, quote: 'anna@example.org' }],
      metadata: { acme: { cited: 'anna@example.org' } },
    },
  ];
  const { session, events, outcome } = await outcomeOf({
    steps: [{ chunks: parts.map((part, index) => ({ type: 'part-end', index, part })) }],
  });
  expect(JSON.stringify([session, events, outcome])).not.toContain('anna@example.org');
  expect(session?.messages.at(-1)?.content).toMatchObject([
    { type: 'provider-call', input: { query: anna } },
    { type: 'provider-result', result: { text: anna, encrypted } },
    { type: 'source', url: 'https://bees.example', title: `Mail ${anna}` },
    { type: 'text', text: 'Found.' },
  ]);
});

describe('what is blocked', () => {
  const options: RedactionOptions = { detectors: { email: 'block' } };

  it('fails the run when it is in the input or the answer, and nothing of it is shown', async () => {
    const input = await outcomeOf({ steps: [], options, input: 'I am anna@example.org' });
    expect(input.outcome).toMatchObject({ code: 'redaction/BLOCKED' });
    const answer = await outcomeOf({ steps: [{ chunks: ['It is an', 'na@example.org!'] }], options });
    expect(answer.outcome).toMatchObject({ code: 'redaction/BLOCKED' });
    expect(answer.streamed.join('')).toBe('It is ');
  });

  it('is withheld when a tool returns it', async () => {
    const steps = [{ toolCalls: [{ name: 'send', args: {} }] }, { text: 'Hm.' }];
    const { session } = await outcomeOf({ steps, options, result: 'anna@example.org' });
    expect(session?.messages[2]).toMatchObject({ isError: true });
    expect(JSON.stringify(session)).not.toContain('anna');
  });
});

describe('placeholders', () => {
  it('are what model, history and answer have; the tool gets the original', async () => {
    const { executed, session, streamed, model } = await outcomeOf({
      steps: [
        { toolCalls: [{ name: 'send', args: { to: anna } }] },
        { chunks: [`Wrote to ${anna} and b`, 'ob@example.org.'] },
      ],
      input: 'Write to anna@example.org',
      result: 'Sent to anna@example.org',
    });
    expect(executed).toEqual([{ to: 'anna@example.org' }]);
    expect(JSON.stringify([requestsOf(model), streamed, session?.messages])).not.toMatch(/anna@|bob@/);
    expect(session?.messages.map(textOf)).toEqual([
      `Write to ${anna}`,
      '',
      `Sent to ${anna}`,
      `Wrote to ${anna} and ${bob}.`,
    ]);
    if (session === undefined) throw new Error('no session');
    const answer = session.messages.map(textOf).at(-1) ?? '';
    expect(restorePlaceholders(answer, session, { key })).toBe(
      'Wrote to anna@example.org and bob@example.org.',
    );
  });

  it('are shown to a gate as originals that the model never saw, also when the run is resumed', async () => {
    const store = memoryStore();
    const seen: unknown[] = [];
    const gate = definePlugin({
      name: 'gate',
      setup({ hooks }) {
        hooks.wrapToolCall.tap({ name: 'ask', gate: true }, async (call, next, scope) => {
          seen.push([writtenInput(call), call.input]);
          await scope.interrupt({ kind: 'ask', payload: null, answer: { type: 'boolean' } });
          return next(call);
        });
      },
    });
    const executed: unknown[] = [];
    const make = () =>
      createAgent({
        model: scriptedModel([call, { text: 'Done.' }].slice(executed.length + seen.length)),
        tools: [
          defineTool({
            name: 'send',
            description: 'Sends.',
            input: { type: 'object' },
            execute: (args) => void executed.push(args),
          }),
        ],
        plugins: [redaction({ key }), gate()],
        store,
        log: 'silent',
      });
    const first = await make();
    const { interrupts } = await first.run('Go', { sessionId: 'one' });
    await first.close();
    const second = await make();
    await second.resume('one', { [interrupts[0]?.id ?? '']: true });
    await second.close();
    const both = [{ to: anna }, { to: 'anna@example.org' }];
    expect(seen).toEqual([both, both]);
    expect(executed).toEqual([{ to: 'anna@example.org' }]);
  });

  it('that a user copies from an answer stand for the same value', async () => {
    const { executed, session } = await outcomeOf({
      steps: [{ toolCalls: [{ name: 'send', args: { to: anna } }] }, { text: 'Done.' }],
      input: `Write ${anna} to anna@example.org`,
    });
    expect(executed).toEqual([{ to: 'anna@example.org' }]);
    expect(session?.messages.map(textOf)[0]).toBe(`Write ${anna} to ${anna}`);
  });

  it('of numbers are numbers again for the tool', async () => {
    const card = 4111_1111_1111_1111;
    const { executed, session } = await outcomeOf({
      steps: [{ toolCalls: [{ name: 'send', args: { card } }] }, { text: 'Done.' }],
    });
    expect(executed).toEqual([{ card }]);
    expect(JSON.stringify(session)).not.toContain(String(card));
  });

  it('that stand for nothing are refused, with the reason', async () => {
    const { executed, session } = await outcomeOf({
      steps: [{ toolCalls: [{ name: 'send', args: { to: anna } }] }, { text: 'Done.' }],
    });
    expect(executed).toEqual([]);
    expect(session?.messages.map(textOf)[2]).toContain(`${anna}, and it stands for no value of this session`);
  });

  it('whose value another key has sealed are refused, with both keys', async () => {
    const store = memoryStore();
    const other = 'another key of more than 32 characters';
    const executed: unknown[] = [];
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      input: { type: 'object' },
      execute: (args) => void executed.push(args),
    });
    const turn = async (own: string, steps: readonly ScriptedStep[], input: string) => {
      const plugins = [redaction({ key: own })];
      await using agent = await createAgent({
        model: scriptedModel(steps),
        tools: [send],
        plugins,
        store,
        log: 'silent',
      });
      return await agent.run(input, { sessionId: 'one' });
    };
    await turn(key, [{ text: 'Yes.' }], 'I am anna@example.org');
    const steps = [{ toolCalls: [{ name: 'send', args: { to: anna } }] }, { text: 'No.' }];
    const { messages } = await turn(other, steps, 'Send it');
    expect(executed).toEqual([]);
    const refusal = messages.map(textOf)[2];
    expect(refusal).toContain(`sealed with the key ${seal.id}`);
    expect(refusal).toContain(`this process has the key ${new SealKey(other).id}`);
  });

  it('of a session from before values were sealed are read, and sealed', async () => {
    const store = memoryStore();
    const value = { email: ['anna@example.org'] };
    await store.commit('one', 0, { state: { redaction: { originals: { version: 1, value } } } });
    const steps = [{ toolCalls: [{ name: 'send', args: { to: '<EMAIL_1>' } }] }, { text: 'Done.' }];
    const executed: unknown[] = [];
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      input: { type: 'object' },
      execute: (args) => void executed.push(args),
    });
    const plugins = [redaction({ key })];
    await using agent = await createAgent({
      model: scriptedModel(steps),
      tools: [send],
      plugins,
      store,
      log: 'silent',
    });
    await agent.run('Go', { sessionId: 'one' });
    expect(executed).toEqual([{ to: 'anna@example.org' }]);
    expect(JSON.stringify(await store.load('one'))).not.toContain('anna');
  });
});

describe('marks that cannot be put back', () => {
  const steps = [{ toolCalls: [{ name: 'send', args: { to: 'anna@example.org' } }] }, { text: 'Done.' }];

  it.each<[string, RedactionOptions, string]>([
    ['redact', { detectors: { email: 'redact' } }, '[redacted email]'],
    ['mask', { detectors: { email: 'mask' } }, '***@…'],
    ['hash', { detectors: { email: 'hash' }, hashKey: key }, '[email #…]'],
  ])('by the action %s keep a call from its tool', async (_, options, mark) => {
    const { executed, session } = await outcomeOf({ steps, options });
    expect(executed).toEqual([]);
    expect(session?.messages.map(textOf)[2]).toContain(`its arguments hold ${mark}`);
  });

  it('reach the tool where the options say so', async () => {
    const options = { detectors: { email: 'redact' }, marks: 'pass' } as const;
    expect((await outcomeOf({ steps, options })).executed).toEqual([{ to: '[redacted email]' }]);
  });
});

describe('options', () => {
  it.each<[string, RedactionOptions, string]>([
    ['a pattern that does not compile', { own: [{ name: 'id', pattern: '(' }] }, "RE2's syntax"],
    ['one that needs to go back', { own: [{ name: 'id', pattern: '(a)\\1' }] }, "RE2's syntax"],
    ['one that matches the empty string', { own: [{ name: 'id', pattern: 'a*' }] }, 'empty string'],
    ['one that matches everything', { own: [{ name: 'id', pattern: '.+' }] }, 'narrower'],
    ['a name of ours', { own: [{ name: 'email', pattern: 'x@' }] }, "plugin's own"],
    [
      'a name that comes twice',
      {
        own: [
          { name: 'id', pattern: 'ID-' },
          { name: 'id', pattern: 'NO-' },
        ],
      },
      'two detectors',
    ],
    ['no pattern and no function', { own: [{ name: 'id' }] }, 'both or neither'],
    ['a hash without a key', { detectors: { email: 'hash' } }, 'hashKey'],
  ])('refuse %s', async (_, options, words) => {
    const agent = createAgent({ model: scriptedModel([]), plugins: [redaction(options)], log: 'silent' });
    await expect(agent).rejects.toThrow(words);
  });
});
