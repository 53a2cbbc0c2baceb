// Runs in its own process: `node inbox-latency.ts sqlite|postgres`. Measures the wall milliseconds from when another
// process sends a message, an answer or a stop until the run has seen it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import { createAgent, defineTool, textOf } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { sqliteStore } from '@shallot/core/sqlite';
import type { Store } from '@shallot/core/store';
import { answerInterrupts, pendingInterrupts, sendMessage, stopRun } from '@shallot/core/work';
import { postgresStore } from '@shallot/store-postgres';

import { startPostgres } from '../packages/store-postgres/test/postgres-server.ts';
import { median } from './measures/samples.ts';
import { temporaryFile } from './temporary-file.ts';

type Kind = 'message' | 'answer' | 'stop';

const samples = 60;
const warmup = 5;
/** The duration of a step. A message is seen with the next request, so no latency can be measured more finely. */
const stepMs = 5;

const [, , kind = '', place] = process.argv;
await (place === undefined ? measure() : sendFrom(open(place)));

function open(at: string): Store {
  return kind === 'sqlite' ? sqliteStore(at) : postgresStore({ url: at });
}

/** Runs as the other process: sends what it is asked to send, and reports the time at which it began. */
async function sendFrom(store: Store): Promise<void> {
  const send: Readonly<Record<Kind, (sessionId: string) => Promise<unknown>>> = {
    message: (sessionId) => sendMessage(store, sessionId, 'seen?'),
    stop: (sessionId) => stopRun(store, sessionId),
    async answer(sessionId) {
      let asked = await pendingInterrupts(store, sessionId);
      for (; asked.length === 0; asked = await pendingInterrupts(store, sessionId)) await delay(20);
      process.send?.(now());
      await answerInterrupts(store, sessionId, { [asked[0]?.id ?? '']: 'yes' });
    },
  };
  process.on('message', ([what, sessionId]: [Kind, string]) => {
    if (what !== 'answer') process.send?.(now());
    void send[what](sessionId);
  });
  process.send?.(0);
}

async function measure(): Promise<void> {
  const server = kind === 'sqlite' ? undefined : await startPostgres(18, ['fsync=on']);
  const at = (await server?.newDatabase()) ?? temporaryFile('sessions.db');
  const store = open(at);
  if ('migrate' in store) await (store as ReturnType<typeof postgresStore>).migrate();
  const sender = fork(import.meta.filename, [kind, at]);
  await once(sender, 'message');
  sender.once('exit', () => process.exit(1));
  const figures: Record<string, number> = {};
  for (const what of ['message', 'answer', 'stop'] as const) {
    const times: number[] = [];
    for (let sample = -warmup; sample < samples; sample += 1) {
      const ms = await timed(store, what, `${what}${sample}`, async (sessionId) => {
        // A random delay, so that samples do not fall into step with the run.
        await delay(50 + 50 * Math.random());
        sender.send([what, sessionId]);
        const [began] = (await once(sender, 'message')) as [number];
        return began;
      });
      if (sample >= 0) times.push(ms);
    }
    figures[`${what}Ms`] = median(times);
    figures[`${what}SlowMs`] = times.toSorted((a, b) => a - b)[Math.floor(samples * 0.95)] ?? Number.NaN;
  }
  sender.removeAllListeners('exit').kill();
  await store.close?.();
  await server?.stop();
  process.stdout.write(`\n${JSON.stringify(figures)}\n`);
}

/** Begins a run, has `send` send to it, and returns the time until the run has seen it. */
async function timed(
  store: Store,
  what: Kind,
  sessionId: string,
  send: (sessionId: string) => Promise<number>,
): Promise<number> {
  const seen = Promise.withResolvers<number>();
  const begun = Promise.withResolvers<void>();
  const agent = await createAgent({
    name: 'bench',
    model: modelFor(what, () => seen.resolve(now())),
    tools: [
      defineTool({
        name: 'step',
        description: 'Takes a moment, or works until the question beside it has its answer.',
        input: { type: 'object' },
        effect: 'read',
        async execute() {
          begun.resolve();
          await (what === 'answer' ? seen.promise : delay(stepMs));
          return 'done';
        },
      }),
      defineTool({
        name: 'ask',
        description: 'Asks.',
        input: { type: 'object' },
        async execute(_, { interrupt }) {
          await interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } });
          seen.resolve(now());
          return 'answered';
        },
      }),
    ],
    store,
    maxSteps: 10_000,
    claimMs: 3_600_000,
    log: 'silent',
  });
  const run = agent.run('Go', { sessionId });
  const ended = run.then(
    () => undefined,
    () => (what === 'stop' ? seen.resolve(now()) : undefined),
  );
  await begun.promise;
  const began = await send(sessionId);
  const at = await seen.promise;
  await ended;
  await agent.close();
  return at - began;
}

/** Returns a model that calls tools until it has seen what was sent. */
function modelFor(what: Kind, seen: () => void): ChatModel {
  let count = 0;
  return {
    id: 'bench/inbox',
    async generate({ messages }) {
      count += 1;
      const isSent = messages
        .slice(1)
        .some((message) => message.role === 'user' && textOf(message) === 'seen?');
      if (isSent) seen();
      if (isSent || (what === 'answer' && count > 1))
        return { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, finish: 'stop' };
      const names = what === 'answer' ? ['step', 'ask'] : ['step'];
      return {
        message: {
          role: 'assistant',
          content: names.map((name) => ({ type: 'tool-call', id: `${name}_${count}`, name, input: {} })),
        },
        finish: 'tool-calls',
      };
    },
  };
}

/** Returns the time by a clock that both processes share, with a resolution finer than a millisecond. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
