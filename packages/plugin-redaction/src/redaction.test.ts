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
} from '@shallot/core/testing';
import { describe, expect, it } from 'vitest';

import redaction, { restorePlaceholders, type RedactionOptions } from './index.ts';

await testPlugin(redaction, { manifest: new URL('../package.json', import.meta.url) });

interface Given {
  readonly steps: readonly ScriptedStep[];
  readonly options?: RedactionOptions;
  readonly input?: string;
  readonly result?: string;
}

async function outcomeOf({ steps, options = {}, input = 'Go', result = 'Sent.' }: Given) {
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
    plugins: [redaction(options)],
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
    const seen = JSON.stringify([session, streamed, requestsOf(model), executed, events]);
    expect(seen).not.toMatch(/anna|192\.0/);
    expect(streamed.join('')).toContain('I wrote to [redacted email] from [redacted ip]');
    expect(events.some(({ type }) => type === 'restart')).toBe(false);
    expect(session?.messages.map(textOf)).toEqual([
      'Write to [redacted email]',
      '',
      'Sent by [redacted ip]',
      'I wrote to [redacted email] from [redacted ip].',
    ]);
    expect(executed).toEqual([{ to: '[redacted email]' }]);
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
    plugins: [redaction(), retry()],
    log: 'silent',
  });
  const stream = agent.stream('Go');
  const { events } = await collectEvents(stream);
  await agent.close();
  const streamed = events.flatMap((event) =>
    event.type === 'restart' ? ['|'] : event.type === 'text-delta' ? [event.text] : [],
  );
  expect(streamed.join('')).toBe('Hello from |[redacted email] is it');
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
    { type: 'provider-call', input: { query: '[redacted email]' } },
    { type: 'provider-result', result: { text: '[redacted email]', encrypted } },
    { type: 'source', url: 'https://bees.example', title: 'Mail [redacted email]' },
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
  const options: RedactionOptions = { detectors: { email: 'placeholder' } };

  it('are what model, history and answer have; the tool gets the original', async () => {
    const { executed, session, streamed, model } = await outcomeOf({
      steps: [
        { toolCalls: [{ name: 'send', args: { to: '<EMAIL_1>' } }] },
        { chunks: ['Wrote to <EMAIL_1> and b', 'ob@example.org.'] },
      ],
      options,
      input: 'Write to anna@example.org',
      result: 'Sent to anna@example.org',
    });
    expect(executed).toEqual([{ to: 'anna@example.org' }]);
    expect(JSON.stringify([requestsOf(model), streamed, session?.messages])).not.toMatch(/anna@|bob@/);
    expect(session?.messages.map(textOf)).toEqual([
      'Write to <EMAIL_1>',
      '',
      'Sent to <EMAIL_1>',
      'Wrote to <EMAIL_1> and <EMAIL_2>.',
    ]);
    if (session === undefined) throw new Error('no session');
    const answer = session.messages.map(textOf).at(-1) ?? '';
    expect(restorePlaceholders(answer, session)).toBe('Wrote to anna@example.org and bob@example.org.');
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
        plugins: [redaction(options), gate()],
        store,
        log: 'silent',
      });
    const first = await make();
    const { interrupts } = await first.run('Go', { sessionId: 'one' });
    await first.close();
    const second = await make();
    await second.resume('one', { [interrupts[0]?.id ?? '']: true });
    await second.close();
    const both = [{ to: '<EMAIL_1>' }, { to: 'anna@example.org' }];
    expect(seen).toEqual([both, both]);
    expect(executed).toEqual([{ to: 'anna@example.org' }]);
  });

  it('that a user typed stand for themselves', async () => {
    const { executed, session } = await outcomeOf({
      steps: [{ toolCalls: [{ name: 'send', args: { to: '<TEXT_1>' } }] }, { text: 'Done.' }],
      options,
      input: 'Write <EMAIL_1> to anna@example.org',
    });
    expect(executed).toEqual([{ to: '<EMAIL_1>' }]);
    expect(session?.messages.map(textOf)[0]).toBe('Write <TEXT_1> to <EMAIL_1>');
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
