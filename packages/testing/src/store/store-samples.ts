import type { JsonValue, Message } from '@shallot/core';
import type { RunRecord, SessionChange, SessionRecord, Store } from '@shallot/core/store';

/** Session ids that a store must take as they are. */
export const hostileIds: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '../../x',
  '/etc/passwd',
  'C:\\x',
  '__proto__',
  'constructor',
  'toString',
  "it's",
  '"quoted"',
  "'; DROP TABLE sessions; --",
  '%',
  '_',
  'a%b',
  '*',
  'nul\0byte',
  'line\nbreak',
  '日本語 😀',
  'é',
  'e\u0301',
  '\ud83d',
  '\ude00',
  '\ufffd',
  'A',
  'a',
  'x'.repeat(10_240),
  `${'x'.repeat(10_239)}y`,
];

/** Returns a frozen user message. */
export function message(id: string, text = `text of ${id}`): Message {
  return Object.freeze({
    id,
    role: 'user',
    content: Object.freeze([Object.freeze({ type: 'text', text } as const)]),
  });
}

export function messages(...ids: readonly string[]): Message[] {
  return ids.map((id) => message(id));
}

const noUsage: RunRecord['usage'] = Object.freeze({ input: 0, output: 0, total: 0, modelCalls: 0 });

export function runRecord(id: string, status: RunRecord['status'], interrupts = 0): RunRecord {
  const run: RunRecord = {
    id,
    status,
    step: 1,
    usage: noUsage,
    usageBefore: noUsage,
    startedAt: 1_700_000_000_000,
    state: {},
    position: { at: 'step' },
    interrupts: Array.from({ length: interrupts }, (_, index) => ({
      id: `${id}-${index}`,
      kind: 'approval',
      plugin: 'test',
      payload: null,
      answerSchema: {},
      createdAt: '2026-01-01T00:00:00.000Z',
    })),
    answers: {},
  };
  return Object.freeze(run);
}

/** Returns a message of each role, with everything that a message can have. */
export function richMessages(): Message[] {
  const metadata = { acme: awkwardValue() };
  const text = { type: 'text', text: 'one', metadata } as const;
  const file = {
    type: 'file',
    mediaType: 'image/png',
    data: 'iVBORw0KGgo=',
    name: 'a.png',
    metadata,
  } as const;
  const link = { type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' } as const;
  const call = { type: 'tool-call', name: 'add', metadata } as const;
  return [
    { id: '1', role: 'system', content: [text], source: 'setup', metadata },
    { id: '2', role: 'user', content: [text, file, link], source: 'summarization', metadata },
    {
      id: '3',
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '', metadata },
        text,
        { ...call, id: 'a', input: awkwardValue() },
        { ...call, id: 'b', input: {}, raw: '{"half": ' },
      ],
      metadata,
    },
    {
      id: '4',
      role: 'tool',
      callId: 'a',
      name: 'add',
      content: [text, file],
      data: awkwardValue(),
      metadata,
    },
    {
      id: '5',
      role: 'tool',
      callId: 'b',
      name: 'add',
      content: [],
      isError: true,
      denied: { by: 'hitl', reason: 'no' },
    },
  ];
}

/** Returns a value with content that text formats often get wrong; `__proto__` is a member of its own. */
export function awkwardValue(): JsonValue {
  const text = JSON.stringify({
    text: 'nul\0 half \ud800 pair 😀 \u2028 "quotes" \\',
    numbers: [0, 0.1, 1e300, 5e-324, Number.MAX_SAFE_INTEGER],
    empty: ['', [], {}, null],
    key: { '': 1, 'a.b': 2, '__proto__ ': 3 },
  });
  // `JSON.parse` returns JSON.
  return JSON.parse(text.replace('__proto__ ', '__proto__')) as JsonValue;
}

/** Returns a record without its times. */
export function withoutTimes(record: SessionRecord | undefined): unknown {
  if (record === undefined) return undefined;
  const { createdAt: _created, updatedAt: _updated, ...rest } = record;
  return plain(rest);
}

/** Returns the value as JSON keeps it: without prototypes, `undefined` and anything else that a store cannot keep. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

export function idsOf(record: SessionRecord | undefined): string[] {
  return record?.messages.map(({ id }) => id) ?? [];
}

/** Commits a change to the current session. Returns the next revision. */
export async function commitNext(store: Store, sessionId: string, change: SessionChange): Promise<number> {
  return store.commit(sessionId, (await store.load(sessionId))?.revision ?? 0, change);
}
