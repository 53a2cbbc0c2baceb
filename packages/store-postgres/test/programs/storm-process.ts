// A process of the storm: either a worker, or a program that submits and follows runs.
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

/** The settings of a process in the storm. */
export interface StormTerms {
  readonly role: 'worker' | 'program';
  /** The URL of the database through a proxy that disturbs connections. */
  readonly url: string;
  /** The URL of the database itself, for the ledger. */
  readonly directUrl: string;
  /** The host name that the process uses in its claims. */
  readonly host: string;
  readonly clockOffMs: number;
  readonly claimMs: number;
  readonly steps: number;
  readonly toolMs: number;
  /** The folder with a file for each session, of what followers have seen of it. */
  readonly seen: string;
  /** The path of a file. Once it exists, no more sessions are begun. */
  readonly over: string;
  /** The agent of a worker; a program submits runs for all of them. */
  readonly agents: readonly [StormAgent, ...StormAgent[]];
  /** The most sessions that a program has in progress at once. */
  readonly atOnce: number;
}

/** The step in which each run asks. */
const askingStep = 2;

// The parent process wrote this JSON.
const terms = JSON.parse(process.argv[2] ?? '') as StormTerms;
const { url, host, claimMs, steps, toolMs, agents } = terms;
const [own] = agents;

const now = Date.now.bind(Date);
Date.now = () => now() + terms.clockOffMs;

// The store's checks of a claim read this clock. Each entry in the ledger records how long ago that was, which shows if
// the process was suspended in between.
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

/** Writes to the ledger, and retries while its database is unavailable. */
async function note(sql: string, values: readonly unknown[]): Promise<void> {
  for (;;) {
    try {
      return void (await ledger.query(sql, [...values]));
    } catch (error) {
      // Codes that begin with 57 mean that the server is restarting; any other error of the database is about the
      // statement.
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
      // The database is unavailable, so the queue cannot listen.
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

/**
 * Begins one session after another until the storm is over. Continues where an earlier process of this program stopped.
 */
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
      // The run was stopped by the storm.
      if (outcome === 'aborted') await resubmitRun(store, sessionId);
    } catch (error) {
      if (!isShallotError(error)) throw error;
    }
    await sleep(200);
  }
}

/**
 * Follows a run from the last message that was seen, perhaps by an earlier process. Returns the outcome of the run;
 * undefined if it is not known.
 */
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

/**
 * Submits a run again and again in a session that is deleted after its runs. At the end, waits until the last run is
 * over.
 */
async function visitAgain(sessionId: string, agent: string): Promise<void> {
  for (;;) {
    try {
      if (!existsSync(terms.over)) {
        const runId = await submitRun(store, sessionId, 'Visit', { agent });
        saw(sessionId, `accepted ${runId}`);
      } else if ((await store.head?.(sessionId))?.run?.status !== 'running') return;
    } catch (error) {
      // The previous run has not ended, or the database is unavailable.
      if (!isShallotError(error)) throw error;
    }
    await sleep(100);
  }
}

/** A model whose answers depend on the conversation alone, so that another process can continue a run. */
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

/**
 * Returns a tool that records its start, does something with `once`, and then records an effect, which the ledger
 * refuses if another process has the session.
 */
function tool(name: 'write' | 'ask' | 'visit', result: string): ReturnType<typeof defineTool> {
  return defineTool({
    name,
    description: 'Writes to the ledger.',
    effect: 'idempotent',
    input: { type: 'object' },
    async execute(_, { run, call, fence, interrupt, once }) {
      const entered = begunEntry();
      // The session is visited by many runs, each with such a call, so the run's id identifies the call.
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

/** Returns a function that records an entry with the current time, even if it is written later. */
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
