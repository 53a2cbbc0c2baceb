// A process of the storm: a worker, or a program that submits runs and follows them.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent, defineTool, isShallotError } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import type { Store } from '@shallot/core/store';
import { followRun, resubmitRun, submitRun } from '@shallot/core/work';
import { DatabaseError, Pool } from 'pg';

import { postgresStore } from '../../src/postgres-store.ts';
import { graphileQueue } from '../../src/queue/index.ts';
import { makeEffect, noteEntry } from '../storm/storm-ledger.ts';

/** An agent of the storm, one of several over one database. */
export interface StormAgent {
  readonly name: string;
  readonly version: string;
}

/** The terms of a process in the storm. */
export interface StormTerms {
  readonly role: 'worker' | 'program';
  /** The database, by a way on which everything may happen. */
  readonly url: string;
  /** The database itself, for the ledger. */
  readonly directUrl: string;
  /** The machine that it counts as. */
  readonly host: string;
  readonly clockOffMs: number;
  readonly claimMs: number;
  readonly steps: number;
  readonly toolMs: number;
  /** The folder for what followers have seen of each session, in a file each. */
  readonly seen: string;
  /** A file of this name says that no more sessions begin. */
  readonly over: string;
  /** The agent of a worker; a program submits runs for all of them. */
  readonly agents: readonly [StormAgent, ...StormAgent[]];
  /** The most sessions that a program has in progress at once. */
  readonly atOnce: number;
}

/** The step of each run that asks. */
const askingStep = 2;

// The parent wrote it.
const terms = JSON.parse(process.argv[2] ?? '') as StormTerms;
const { url, host, claimMs, steps, toolMs, agents } = terms;
const [own] = agents;

const now = Date.now.bind(Date);
Date.now = () => now() + terms.clockOffMs;

// A claim is looked at by a clock: an entry shows how long ago that was, if the process slept in between.
const steadyNow = performance.now.bind(performance);
let lookedAt = steadyNow();
performance.now = () => (lookedAt = steadyNow());

const database = postgresStore({
  url,
  queue: true,
  poolSize: 5,
  queryTimeoutMs: 2 * claimMs,
  connectTimeoutMs: 4 * claimMs,
  retryMs: 10_000,
});
const store: Store = {
  ...database,
  commit: (id, revision, change) =>
    database.commit(id, revision, change.claim ? { ...change, claim: { ...change.claim, host } } : change),
  renew: (id, claim) => database.renew(id, { ...claim, host }),
};
const ledger = new Pool({ connectionString: terms.directUrl, max: 2 });
ledger.on('error', () => undefined);

/** Writes to the ledger, whatever happens to its database meanwhile. */
async function note(sql: string, values: readonly unknown[]): Promise<void> {
  for (;;) {
    try {
      return void (await ledger.query(sql, [...values]));
    } catch (error) {
      // It is restarting, unless it has an opinion on the statement.
      if (error instanceof DatabaseError && !error.code?.startsWith('57')) throw error;
      await sleep(100);
    }
  }
}

async function work({ name, version }: StormAgent): Promise<void> {
  const agent = await createAgent({
    name,
    version,
    model,
    store,
    claimMs,
    log: 'silent',
    tools: [tool('write', 'done'), tool('ask', 'answered'), tool('visit', 'seen')],
  });
  const queue = graphileQueue({ url, pollIntervalMs: 500, poolSize: 4 });
  process.stdout.write('ready\n');
  for (;;) {
    try {
      await agent.work({ concurrency: 4, intervalMs: 300, retryPauseMs: 20, versions: 'same', queue });
    } catch {
      // The database is away: the queue cannot listen.
      await sleep(200);
    }
  }
}

async function submitAndFollow(): Promise<void> {
  process.stdout.write('ready\n');
  const chains = Array.from({ length: terms.atOnce }, (_, chain) => submitInTurn(chain));
  const visits = agents.map(({ name }) => visitAgain(`visit-${name}-${host}`, name));
  await Promise.all([...chains, ...visits]);
}

/** Begins one session after the other until the storm is over, and goes on where an earlier life of this program stood. */
async function submitInTurn(chain: number): Promise<void> {
  for (let count = 0; ; count += 1) {
    const name = agents[(chain + count) % agents.length]?.name ?? '';
    const sessionId = `s-${name}-${host}-${chain}-${count}`;
    const lines = seenLines(sessionId);
    if (lines.at(-1) === 'end') continue;
    if (lines.length === 0 && existsSync(terms.over)) return;
    saw(sessionId, 'begin');
    await submitOne(sessionId, name);
    saw(sessionId, 'end');
  }
}

async function submitOne(sessionId: string, agent: string): Promise<void> {
  for (;;) {
    try {
      if ((await store.head?.(sessionId)) === undefined) await submitRun(store, sessionId, 'Go', { agent });
      const outcome = await followOn(sessionId);
      if (outcome === 'completed') return;
      // Somebody has stopped it.
      if (outcome === 'aborted') await resubmitRun(store, sessionId);
    } catch (error) {
      if (!isShallotError(error)) throw error;
    }
    await sleep(200);
  }
}

/** Follows from where it has come to, in an earlier life perhaps. How the run ended. */
async function followOn(sessionId: string): Promise<string | undefined> {
  const after = seenLines(sessionId)
    .findLast((line) => line.startsWith('message '))
    ?.slice('message '.length);
  for await (const event of followRun(store, sessionId, after === undefined ? {} : { after })) {
    if (event.type === 'run-end') return event.outcome;
    if ('message' in event) saw(sessionId, `message ${event.message.id}`);
    if (event.type === 'interrupt') saw(sessionId, `question ${event.interrupt.call?.id}`);
  }
  return undefined;
}

function saw(sessionId: string, line: string): void {
  appendFileSync(join(terms.seen, sessionId), `${line}\n`);
}

function seenLines(sessionId: string): string[] {
  const file = join(terms.seen, sessionId);
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

/** Comes back to a session that is deleted each time its run has ended, and stays until the last run has. */
async function visitAgain(sessionId: string, agent: string): Promise<void> {
  for (;;) {
    try {
      if (!existsSync(terms.over)) {
        const runId = await submitRun(store, sessionId, 'Visit', { agent });
        saw(sessionId, `accepted ${runId}`);
      } else if ((await store.head?.(sessionId))?.run?.status !== 'running') return;
    } catch (error) {
      // The run before has not ended, or the database is away.
      if (!isShallotError(error)) throw error;
    }
    await sleep(100);
  }
}

/** Its answer depends on the conversation alone, so that any process goes on as the last one would have. */
const model: ChatModel = {
  id: 'test/storm',
  async generate({ messages }) {
    const begun = messages.findLastIndex(({ role }) => role === 'user');
    const step = messages.slice(begun).filter(({ role }) => role === 'assistant').length + 1;
    const calls = callsOf(step, JSON.stringify(messages[begun]?.content).includes('Visit'));
    if (calls.length === 0)
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'Done' }] }, finish: 'stop' };
    return {
      message: {
        role: 'assistant',
        content: calls.map((id) => ({ type: 'tool-call', id, name: id.split('-')[0] ?? '', input: {} })),
      },
      finish: 'tool-calls',
    };
  },
};

function callsOf(step: number, isVisit: boolean): readonly string[] {
  if (isVisit) return step === 1 ? ['visit'] : [];
  if (step > steps) return [];
  return [`write-${step}-a`, step === askingStep ? `ask-${step}` : `write-${step}-b`];
}

/** Notes when it is entered, does something once, and makes an effect that is refused if another has the session. */
function tool(name: 'write' | 'ask' | 'visit', result: string): ReturnType<typeof defineTool> {
  return defineTool({
    name,
    description: 'Writes to the ledger.',
    effect: 'idempotent',
    input: { type: 'object' },
    async execute(_, { run, call, fence, interrupt, once }) {
      const entered = begunEntry();
      // A visited session has such a call in each run.
      const callId = name === 'visit' ? run.id : call.id;
      await entered(run.sessionId, callId, 'tool', fence);
      if (name === 'ask') await interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } });
      const mail = `mail of ${callId}`;
      await once('mail', async () => {
        await begunEntry()(run.sessionId, mail, 'once', fence);
        return mail;
      });
      await sleep(toolMs * (0.5 + Math.random()));
      await note(makeEffect, [run.sessionId, callId, fence]);
      return result;
    },
  });
}

type Entered = (sessionId: string, callId: string, what: 'tool' | 'once', fence: number) => Promise<void>;

/** Takes the time of an entry at once, so that it can be noted later. */
function begunEntry(): Entered {
  const [at, sinceLook] = [now(), steadyNow() - lookedAt];
  const { name, version } = own;
  return (sessionId, callId, what, fence) =>
    note(noteEntry, [sessionId, callId, what, fence, name, version, at, sinceLook]);
}

if (terms.role === 'program') await submitAndFollow();
else await work(own);
await database.close();
await ledger.end();
