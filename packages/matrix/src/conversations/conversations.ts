import { definePlugin, defineTool, type JsonSchema, type Tool } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';

import type { Conversation, Stage } from './conversation.ts';

type Step = Parameters<typeof scriptedModel>[0][number];

const approval = {
  type: 'object',
  properties: {
    decision: { enum: ['approve', 'reject', 'edit'] },
    reason: { type: 'string' },
    args: { type: 'object' },
  },
  required: ['decision'],
} as const satisfies JsonSchema;

/** A gate that asks about calls of `pay`, and denies those of `drop`. */
const gate = definePlugin({
  name: 'gate',
  setup({ hooks }) {
    hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, async (call, next, scope) => {
      if (call.name === 'drop')
        return { content: [], isError: true, denied: { by: 'gate', reason: 'Nothing is dropped.' } };
      if (call.name !== 'pay') return next(call);
      const payload = { message: 'Pay?' };
      const given = await scope.interrupt({ kind: 'approval', payload, answer: approval });
      // The run has checked that the answer matches the schema.
      const {
        decision,
        args,
        reason = 'No.',
      } = given as {
        readonly decision: string;
        readonly args?: { readonly euros: number };
        readonly reason?: string;
      };
      if (decision === 'reject') return { content: [], isError: true, denied: { by: 'gate', reason } };
      return next(args === undefined ? call : { ...call, input: args });
    });
  },
});

/**
 * Returns a plugin that writes a draft in the model call with this number, and begins the answer again once the client
 * has shown the draft.
 */
function retrying(stage: Stage, at: number, draft: string) {
  let calls = 0;
  return definePlugin({
    name: 'retrying',
    async wrapModelCall(request, next, { emit }) {
      calls += 1;
      if (calls === at && emit !== undefined) {
        await emit({ type: 'text-delta', index: 0, text: draft });
        await stage.shown(draft);
        await emit({ type: 'restart' });
      }
      return next(request);
    },
  })();
}

function tool(name: string, properties: JsonSchema['properties'], execute: (input: never) => unknown): Tool {
  const input = { type: 'object', properties } as const;
  // The schema guarantees the type of the input.
  return defineTool({ name, description: `The tool ${name}.`, input, execute: execute as never });
}

function toolsOf(stage: Stage): readonly Tool[] {
  const ask = defineTool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object', properties: {} },
    execute: (_, { interrupt }) =>
      interrupt({ kind: 'question', payload: 'Which one?', answer: { type: 'string' } }),
  });
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates.',
    input: { type: 'object', properties: {} },
    async execute(_, { child }) {
      const model = scriptedModel([
        { text: 'I read.', toolCalls: [{ name: 'look' }] },
        { text: 'It is read.' },
      ]);
      const { text } = await child({ agent: { name: 'reader', model, tools: ['look'] }, prompt: 'Read' });
      return text;
    },
  });
  return [
    tool('look', { at: { type: 'string' } }, ({ at }: { at?: string }) => {
      if (at === 'nothing') throw new Error('There is nothing.');
      return { seen: at ?? 'all', places: [{ row: 1 }, { row: 2 }] };
    }),
    tool('say', {}, () => 'said'),
    tool('pay', { euros: { type: 'number' } }, ({ euros }: { euros: number }) => ({ paid: euros })),
    tool('drop', {}, () => 'dropped'),
    tool('hear', {}, async () => {
      await stage.send('And the door');
      return 'heard';
    }),
    tool('end', {}, async () => {
      await stage.stop();
      return 'ended';
    }),
    ask,
    delegate,
  ];
}

interface Scene extends Partial<Pick<Conversation, 'turns'>> {
  readonly steps: readonly Step[];
  /** A draft that the model call with this number writes and then takes back. */
  readonly retry?: { readonly at: number; readonly draft: string };
}

function conversation(name: string, { steps, retry, turns = [{ input: 'Go' }] }: Scene): Conversation {
  return {
    name,
    turns,
    isRetried: retry !== undefined,
    parts: (stage) => ({
      model: scriptedModel(steps),
      tools: toolsOf(stage),
      plugins: [gate(), ...(retry === undefined ? [] : [retrying(stage, retry.at, retry.draft)])],
    }),
  };
}

const page = { id: 's1', url: 'https://example.org/', title: 'Example' };
const paper = { id: 's2', name: 'paper.pdf', title: 'Paper', mediaType: 'application/pdf' };
const picture = { type: 'file', mediaType: 'image/png', data: 'aGk=', name: 'hi.png' } as const;
const pay = { name: 'pay', args: { euros: 5 } };

/** The conversations that every protocol is played with. */
export const conversations: readonly Conversation[] = [
  conversation('an answer', { steps: [{ text: 'Hello, you there.' }] }),
  conversation('two turns', {
    steps: [{ text: 'Hello.' }, { text: 'You are welcome.' }],
    turns: [{ input: 'Hi' }, { input: 'Thanks' }],
  }),
  conversation('reasoning before a call and an answer', {
    steps: [
      { reasoning: 'I could look.', text: 'I look.', toolCalls: [{ name: 'look' }] },
      { reasoning: 'So be it.', text: 'It is there.' },
    ],
  }),
  conversation('parallel calls', {
    steps: [
      {
        toolCalls: [
          { name: 'look', args: { at: 'shelf' } },
          { name: 'look', args: { at: 'table' } },
          { name: 'say' },
        ],
      },
      { text: 'On both.' },
    ],
  }),
  conversation('texts between calls', {
    steps: [
      {
        chunks: [
          'First. ',
          { type: 'tool-call-delta', index: 1, id: 'c1', name: 'say', text: '{}' },
          { type: 'text-delta', index: 2, text: 'Then.' },
        ],
        end: 'tool-calls',
      },
      { text: 'Done.' },
    ],
  }),
  conversation('steps with nothing but calls', {
    steps: [{ toolCalls: [{ name: 'look' }] }, { toolCalls: [{ name: 'say' }] }, { text: 'Seen.' }],
  }),
  conversation('a tool that fails', {
    steps: [{ toolCalls: [{ name: 'look', args: { at: 'nothing' } }] }, { text: 'I see nothing.' }],
  }),
  conversation('a call that is denied', {
    steps: [{ toolCalls: [{ name: 'drop' }, { name: 'say' }] }, { text: 'I may not.' }],
  }),
  conversation('a retry in the stream', {
    steps: [{ text: 'It is here.' }],
    retry: { at: 1, draft: 'Nowhere' },
  }),
  conversation('a retry in the stream after a call', {
    steps: [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, { text: 'It is here.' }],
    retry: { at: 2, draft: 'Nowhere' },
  }),
  conversation('an approval', {
    steps: [{ text: 'I pay.', toolCalls: [pay] }, { text: 'Paid.' }],
    turns: [{ input: 'Buy', answers: [{ decision: 'approve' }] }],
  }),
  conversation('an approval with an edit', {
    steps: [{ text: 'I pay.', toolCalls: [pay] }, { text: 'Paid less.' }],
    turns: [{ input: 'Buy', answers: [{ decision: 'edit', args: { euros: 4 } }] }],
  }),
  conversation('two approvals, one of them refused', {
    steps: [{ toolCalls: [pay, { name: 'pay', args: { euros: 6 } }] }, { text: 'One of them.' }],
    turns: [
      { input: 'Buy', answers: [{ decision: 'reject', reason: 'Too dear.' }, { decision: 'approve' }] },
    ],
  }),
  conversation('a question', {
    steps: [{ toolCalls: [{ name: 'ask' }] }, { text: 'That one.' }],
    turns: [{ input: 'Choose', answers: ['The red one'] }],
  }),
  conversation('a run that is stopped', {
    steps: [{ text: 'I end.', toolCalls: [{ name: 'end' }] }, { text: 'Never.' }],
  }),
  conversation('a model that fails', {
    steps: [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, { error: new Error('down') }],
  }),
  conversation('an answer that matches a schema', {
    steps: [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, { text: '{"city":"Oslo"}' }],
    turns: [
      {
        input: 'Where?',
        output: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ],
  }),
  conversation('files of both', {
    steps: [
      {
        chunks: [
          'Here it is.',
          {
            type: 'part-end',
            index: 1,
            part: { type: 'file', mediaType: 'image/png', data: 'aGV5', name: 'a.png' },
          },
        ],
      },
    ],
    turns: [{ input: [{ type: 'text', text: 'Like this' }, picture] }],
  }),
  conversation('citations and sources', {
    steps: [
      {
        chunks: [
          { type: 'part-end', index: 0, part: { type: 'source', ...page } },
          { type: 'text-delta', index: 1, text: 'Yes, it' },
          {
            type: 'part-end',
            index: 1,
            part: {
              type: 'text',
              text: 'Yes, it is.',
              citations: [{ source: page, start: 0, end: 3, quote: 'Yes' }, { source: paper }],
            },
          },
        ],
      },
    ],
  }),
  conversation('a tool of the provider', {
    steps: [
      {
        chunks: [
          {
            type: 'part-end',
            index: 0,
            part: { type: 'provider-call', id: 'p1', name: 'search', input: { q: 'x' } },
          },
          {
            type: 'part-end',
            index: 1,
            part: { type: 'provider-result', callId: 'p1', name: 'search', result: ['found'] },
          },
          { type: 'text-delta', index: 2, text: 'Found.' },
        ],
      },
    ],
  }),
  conversation('a child', {
    steps: [{ text: 'I delegate.', toolCalls: [{ name: 'delegate' }] }, { text: 'It is done.' }],
  }),
  conversation('a message in the middle', {
    steps: [{ text: 'I listen.', toolCalls: [{ name: 'hear' }] }, { text: 'And the door.' }],
  }),
];
