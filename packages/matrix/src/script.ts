import { defineTool, ShallotError, type Message, type MessageInput, type Tool } from '@shallot/core';
import { modelError, type ChatModel, type ModelErrorCode, type ModelRequest } from '@shallot/core/model';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';

import type { CaseName } from './cases.ts';

export const address = 'ada@example.org';

/** The state shared by all processes of a session: executed calls and past disturbances. */
export class World {
  readonly what: CaseName;
  /** The number of executions, by tool. */
  readonly done = new Map<string, number>();
  /** The number of calls for the script's turns, by model. */
  readonly asked = new Map<string, number>();
  /** The number of all model calls. */
  sent = 0;
  lastAsked = '';
  #isStruck = false;

  constructor(what: CaseName) {
    this.what = what;
  }

  /** Returns true, once, if the case's disturbance happens now. */
  strikes(...cases: readonly CaseName[]): boolean {
    if (this.#isStruck || !cases.includes(this.what)) return false;
    this.#isStruck = true;
    return true;
  }
}

function countUp(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

/** Returns an earlier conversation, which is long enough for plugins that shorten it, and a new message of the user. */
export function input(): MessageInput[] {
  const earlier = Array.from({ length: 6 }, (_, index): MessageInput[] => [
    { role: 'user', content: `Question ${index} of ${address}.` },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', id: `old_${index}`, name: 'look', input: { who: address } }],
    },
    { role: 'tool', callId: `old_${index}`, name: 'look', content: `${address} ${'is there. '.repeat(200)}` },
    { role: 'assistant', content: [{ type: 'text', text: `Answer ${index}.` }] },
  ]).flat();
  return [...earlier, { role: 'user', content: `Go, I am ${address}.` }];
}

const turns = [['look', 'flaky', 'pay', 'fix'], ['ask']] as const;

/** Calls of tools of plugins. The script makes each call whose tool is offered. */
const callsOfPlugins = [
  { name: 'ls', id: 'ls', args: {} },
  { name: 'shell', id: 'shell', args: { command: 'echo tea' } },
  { name: 'fetch_url', id: 'fetch', args: { url: 'http://localhost/' } },
  { name: 'ask_user', id: 'ask-user', args: { questions: [{ question: 'Really?' }] } },
] as const;

/** Returns a model that answers from the request alone, so it behaves the same in every process. */
export function scriptModel(id: string, world: World, abort: () => void): ChatModel {
  return scriptedModel(
    Array.from({ length: 100 }, () => (request: ModelRequest) => {
      world.sent += 1;
      if ((request.tools ?? []).length === 0) return { text: `A summary about ${address}.`, usage };
      countUp(world.asked, id);
      world.lastAsked = id;
      return turnFor(request, id === 'main' ? world : new World('nothing'), abort);
    }),
    { id, cacheMarks: 4 },
  );
}

const usage = { input: 10, output: 5, total: 15 };

function turnFor({ messages, tools = [] }: ModelRequest, world: World, abort: () => void): ScriptedStep {
  const turn = 1 + turns.findLastIndex((names) => isDone(messages, names));
  if (turn === 0) {
    if (world.strikes('abort before the model')) abort();
    const [look, flaky, pay, fix] = turns[0];
    return {
      text: `I look ${address} up.`,
      toolCalls: [
        { name: look, id: 'look', args: { who: address } },
        { name: flaky, id: 'flaky' },
        { name: pay, id: 'pay', args: { to: 'the shop' } },
        { name: fix, id: 'fix', raw: '{"path": "a.txt",}' },
        ...callsOfPlugins.filter((call) => tools.some(({ name }) => name === call.name)),
      ],
      usage,
    };
  }
  if (world.what === 'model error, lasting') return failing('MODEL_AUTH');
  if (turn === 1) return secondTurn(world, abort);
  return { text: `All is done for ${address}.`, usage };
}

function secondTurn(world: World, abort: () => void): ScriptedStep {
  if (world.strikes('model error, transient')) return failing('MODEL_OVERLOADED');
  if (world.strikes('stream breaks'))
    return { chunks: [`A first draft for ${address}, `, 'which ends'], end: 'broken' };
  if (world.strikes('abort in the stream')) {
    setImmediate(abort);
    return { chunks: [`A first draft for ${address}, `, 'which ends'], stall: true };
  }
  if (world.strikes('abort with a model error')) {
    abort();
    return failing('MODEL_OVERLOADED');
  }
  return { text: `I ask ${address}.`, toolCalls: [{ name: 'ask', id: 'ask' }], usage };
}

function failing(code: ModelErrorCode): ScriptedStep {
  return { error: modelError(code, { message: 'The script fails here.' }) };
}

function isDone(messages: readonly Message[], names: readonly string[]): boolean {
  const asked = messages.findLastIndex((message) => message.role === 'user' && message.source === undefined);
  return messages.slice(asked + 1).some((message) => message.role === 'tool' && names.includes(message.name));
}

/** Returns the tools of the script. `abort` aborts the run. */
export function scriptTools(world: World, abort: () => void): Tool[] {
  const make = (name: string, effect: Tool['effect'], execute: Tool['execute']): Tool =>
    defineTool({
      name,
      description: `Does ${name}.`,
      input: { type: 'object', ...(name === 'fix' ? { required: ['path'] } : {}) },
      effect,
      execute(args, context) {
        countUp(world.done, name);
        return execute(args, context);
      },
    });
  return [
    make('look', 'read', () => `${address} is there.`),
    make('flaky', 'idempotent', (_, { signal }) => {
      if (world.strikes('tool error'))
        throw new ShallotError('matrix/FLAKY', { message: 'Not yet.', transient: true });
      if (world.strikes('abort in a tool')) {
        abort();
        signal.throwIfAborted();
      }
      return 'flaky: done';
    }),
    make('pay', 'write', () => 'pay: done'),
    make('fix', 'idempotent', () => 'fix: done'),
    make('ask', 'read', async (_, { interrupt }) => {
      if (world.what !== 'interrupt') return 'ask: done';
      await interrupt({ kind: 'question', payload: 'Really?', answer: { const: 'yes' } });
      return 'ask: done';
    }),
    make('hidden', 'read', () => 'never'),
  ];
}
