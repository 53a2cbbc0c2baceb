import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  type Interrupt,
  type JsonObject,
  type JsonValue,
} from '@shallot/core';
import { type Files, memoryFiles } from '@shallot/core/files';
import { textPart, type Decision, type ToolEffect } from '@shallot/core/plugin';
import type { Store } from '@shallot/core/store';
import { pendingInterrupts } from '@shallot/core/work';
import { assertValidRequest, scriptedModel, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import hitl from './index.ts';

const effects: Readonly<Record<string, ToolEffect>> = {
  look: 'read',
  stamp: 'idempotent',
  pay: 'write',
  send: 'write',
  write_file: 'idempotent',
};
const turns: readonly (readonly string[])[] = [
  ['look', 'pay', 'stamp', 'send'],
  ['send', 'look', 'pay', 'write_file'],
];

/** The decision of a person about a call, by the call's id and the asker. */
const decisions: Readonly<Record<string, Decision>> = {
  'inner 0pay': { decision: 'approve' },
  'outer 0pay': { decision: 'edit', args: { cents: 50 } },
  'outer 0stamp': { decision: 'edit', name: 'send', args: { cents: 7 } },
  'outer 0stamp send': { decision: 'approve' },
  'inner 0stamp send': { decision: 'edit', args: { cents: 8 } },
  'outer 0send': { decision: 'approve' },
  'inner 0send': { decision: 'reject', reason: 'not to him' },
  'outer 1send': { decision: 'approve' },
  'inner 1send': { decision: 'approve' },
  'outer 1pay': { decision: 'respond', content: 'It was paid by hand.' },
  // Shown with a diff, which the call itself changes.
  'outer 1write_file': { decision: 'approve' },
};

type Asked = NonNullable<Interrupt['call']>;

function nameOf(plugin: string, { id, name, input }: Asked): string {
  return `${plugin} ${id} ${name} ${JSON.stringify(input)}`;
}

function decisionAbout(plugin: string, { id, name }: Asked): Decision {
  const key = `${plugin} ${id}`;
  const decision = decisions[`${key} ${name}`] ?? decisions[key];
  if (decision === undefined) throw new Error(`${key} ${name} was asked about`);
  return decision;
}

function argsOf(name: string): JsonObject {
  return name === 'write_file' ? { path: '/a.txt', content: 'new' } : { cents: 100 };
}

interface Effect {
  readonly callId: string;
  readonly done: string;
}

/** The state that outlives a process. */
interface World {
  readonly store: Store;
  readonly files: Files;
  readonly effects: Effect[];
  readonly asked: string[];
}

/** Where a process dies: around its n-th commit, or right after its n-th effect. */
interface Point {
  readonly at: 'before' | 'after' | 'effect';
  readonly n: number;
}

/** A process: from `died` on it does nothing any more, as if it had been killed. */
async function start(world: World, point?: Point) {
  const death = Promise.withResolvers<'died'>();
  const never = new Promise<never>(() => {});
  let isDead = false;
  const count = { commits: 0, effects: 0 };
  const dieAt = (at: Point['at'], n: number): Promise<never> | undefined => {
    if (!isDead && (point?.at !== at || point.n !== n)) return undefined;
    isDead = true;
    death.resolve('died');
    return never;
  };
  const store: Store = {
    ...world.store,
    async commit(sessionId, revision, change) {
      const n = (count.commits += 1);
      await dieAt('before', n);
      const next = await world.store.commit(sessionId, revision, change);
      await dieAt('after', n);
      return next;
    },
  };
  const tools = Object.entries(effects).map(([name, effect]) =>
    defineTool({
      name,
      description: `Has an effect: ${name}.`,
      input: { type: 'object' },
      effect,
      async execute(args, { call }) {
        if (isDead) await never;
        const done = `${name} ${JSON.stringify(args)}`;
        world.effects.push({ callId: call.id, done });
        if (name === 'write_file') await world.files.write('/a.txt', 'new');
        await dieAt('effect', (count.effects += 1));
        return done;
      },
    }),
  );
  const step = (request: Parameters<typeof assertValidRequest>[0]): ScriptedStep => {
    assertValidRequest(request);
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    const calls = turns[turn]?.map((name) => ({ name, id: `${turn}${name}`, args: argsOf(name) }));
    return calls === undefined ? { text: 'Done.' } : { toolCalls: calls };
  };
  const ask = definePlugin({
    name: 'inner',
    setup({ hooks }) {
      hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next) => {
        if (call.name !== 'pay' && call.name !== 'send') return next(call);
        world.asked.push(nameOf('inner', call));
        const decision = decisionAbout('inner', call);
        if (decision.decision === 'edit') {
          const { args: input, name = call.name } = decision;
          return next({ ...call, name, input });
        }
        if (decision.decision === 'approve') return next(call);
        const denied = { by: 'inner', reason: 'not to him' };
        return { content: [textPart(denied.reason)], isError: true, denied };
      });
    },
  })();
  const retry = definePlugin({
    name: 'retry',
    async wrapToolCall(call, next) {
      const result = await next(call);
      return result.isError === true && result.denied === undefined ? next(call) : result;
    },
  })();
  const agent = await createAgent({
    model: scriptedModel(Array.from({ length: 9 }, () => step)),
    tools,
    store,
    files: world.files,
    plugins: [
      { use: hitl({ tools: { look: false, '*': true } }), id: 'outer', priority: 66 },
      { use: ask, id: 'inner', priority: 60 },
      retry,
    ],
    log: 'silent',
  });
  return { agent, count, died: death.promise, isDead: () => isDead };
}

/** Takes a session to its end, whatever is asked, with a process that dies at a point and others after it. */
async function live(point?: Point) {
  const world: World = { store: memoryStore(), files: memoryFiles(), effects: [], asked: [] };
  const first = await start(world, point);
  let running = first;
  for (let round = 0; round < 30; round += 1) {
    const record = await world.store.load('s');
    if (record?.run?.status === 'completed') return { world, record, count: first.count };
    const open = await pendingInterrupts(world.store, 's');
    const answers = open.map((each) => [each.id, answerTo(each, world)] as const);
    const run = record?.run === undefined ? () => running.agent.run('Go', { sessionId: 's' }) : undefined;
    const work = (run ?? (() => running.agent.resume('s', Object.fromEntries(answers))))();
    if ((await Promise.race([work, running.died])) === 'died') {
      const left = await world.store.load('s');
      if (left?.claim !== undefined) await world.store.renew('s', { ...left.claim, expiresAt: 0 });
      running = await start(world);
    }
    const now = await world.store.load('s');
    const isTaken = ({ id }: Interrupt): boolean =>
      now?.run?.interrupts.some((each) => each.id === id) !== true || now.run.answers[id] !== undefined;
    for (const { kind, plugin, call } of open.filter(isTaken)) {
      if (kind === 'approval' && call !== undefined) world.asked.push(nameOf(plugin, call));
    }
  }
  throw new Error('the run does not come to its end');
}

/** Answers for a person: whether a call took effect is read from the world. */
function answerTo({ kind, plugin, call }: Interrupt, world: World): JsonValue {
  if (call === undefined) throw new Error('only calls are asked about');
  if (kind === 'approval') return { ...decisionAbout(plugin, call) };
  const result = `${call.name} ${JSON.stringify(call.input)}`;
  const isDone = world.effects.some((effect) => effect.callId === call.id && effect.done === result);
  return isDone ? { action: 'result', result } : { action: 'repeat' };
}

/** Returns the results that the model was told, in order, without how they came about. */
function told({ record }: Awaited<ReturnType<typeof live>>): string[] {
  return record.messages.flatMap((message) => {
    if (message.role !== 'tool') return [];
    const last = message.content.at(-1);
    const text = last?.type === 'text' ? last.text : '';
    return [`${message.callId}${message.denied === undefined ? '' : ' denied'}: ${text}`];
  });
}

function executedBy({ world }: Awaited<ReturnType<typeof live>>): string[] {
  const lines = world.effects.map(({ callId, done }) => `${callId}: ${done}`);
  // Repeatable effects count once, however often they happened.
  const isWrite = (line: string): boolean => / (?:pay|send) /.test(line);
  return [...lines.filter(isWrite), ...new Set(lines.filter((line) => !isWrite(line)))].toSorted();
}

function outcomeOf(ended: Awaited<ReturnType<typeof live>>) {
  const { world, record } = ended;
  const byPerson = world.asked.filter((name) => name.startsWith('outer'));
  // A function is asked again whose word had not been committed.
  const byFunction = new Set(world.asked.filter((name) => name.startsWith('inner')));
  return {
    told: told(ended),
    executed: executedBy(ended),
    asked: [...byPerson, ...byFunction].toSorted(),
    left: [record.journal, record.run?.answers, record.run?.interrupts],
  };
}

describe('approvals of a run that is killed', () => {
  it('hold at every point: nothing is asked or executed twice, and nothing is lost', async () => {
    const undisturbed = await live();
    const { commits, effects: executions } = undisturbed.count;
    const expected = outcomeOf(undisturbed);
    expect(expected.told).toMatchInlineSnapshot(`
      [
        "0look: look {"cents":100}",
        "0pay: pay {"cents":50}",
        "0stamp: send {"cents":8}",
        "0send denied: not to him",
        "1send: send {"cents":100}",
        "1look: look {"cents":100}",
        "1pay: It was paid by hand.",
        "1write_file: write_file {"path":"/a.txt","content":"new"}",
      ]
    `);
    expect(expected.executed).toMatchInlineSnapshot(`
      [
        "0look: look {"cents":100}",
        "0pay: pay {"cents":50}",
        "0stamp: send {"cents":8}",
        "1look: look {"cents":100}",
        "1send: send {"cents":100}",
        "1write_file: write_file {"path":"/a.txt","content":"new"}",
      ]
    `);
    expect(expected.left).toEqual([{}, {}, []]);
    const upTo = (at: Point['at'], most: number): Point[] =>
      Array.from({ length: most }, (_, index) => ({ at, n: index + 1 }));
    const points = [...upTo('before', commits), ...upTo('after', commits), ...upTo('effect', executions)];
    expect(points.length).toBeGreaterThan(40);
    for (const point of points) {
      expect({ killed: point, ...outcomeOf(await live(point)) }).toEqual({ killed: point, ...expected });
    }
  }, 120_000);
});
