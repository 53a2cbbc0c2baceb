// A process of the storm: a worker, or a program that submits runs and follows them.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent, defineTool, isShallotError } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import type { SessionRecord, Store } from '@shallot/core/store';
import { followRun, submitRun } from '@shallot/core/work';

import { postgresStore } from '../../src/postgres-store.ts';
import { graphileQueue } from '../../src/queue/index.ts';

/** The terms of a process in the storm. */
export interface StormTerms {
  readonly role: 'worker' | 'program';
  readonly url: string;
  readonly ledger: string;
  /** The machine that it counts as. */
  readonly host: string;
  readonly clockOffMs: number;
  readonly claimMs: number;
  readonly steps: number;
  readonly toolMs: number;
  /** The folder for what followers have seen of each session. */
  readonly seen: string;
  /** For a program: the sessions that it submits and follows. */
  readonly sessions: readonly string[];
}

/** The step of each run that asks. */
const askingStep = 2;

// The parent wrote it.
const terms = JSON.parse(process.argv[2] ?? '') as StormTerms;
const { url, ledger, host, claimMs, steps, toolMs } = terms;
const now = Date.now.bind(Date);
Date.now = () => now() + terms.clockOffMs;

const database = postgresStore({ url, queue: true, poolSize: 5, retryMs: 10_000 });
const store: Store = {
  ...database,
  commit: (id, revision, change) =>
    database.commit(id, revision, change.claim ? { ...change, claim: { ...change.claim, host } } : change),
  renew: (id, claim) => database.renew(id, { ...claim, host }),
};

async function work(): Promise<void> {
  const agent = await createAgent({
    name: 'test',
    model,
    store,
    claimMs,
    log: 'silent',
    tools: [tool('write', 'done'), tool('ask', 'answered')],
  });
  const queue = graphileQueue({ url, pollIntervalMs: 500, poolSize: 4 });
  process.stdout.write('ready\n');
  for (;;) {
    try {
      await agent.work({ concurrency: 4, intervalMs: 300, retryPauseMs: 20, queue });
    } catch {
      // The database is away: the queue cannot listen.
      await sleep(200);
    }
  }
}

async function submitAndFollow(): Promise<void> {
  process.stdout.write('ready\n');
  await Promise.all(terms.sessions.map(submitOne));
}

async function submitOne(sessionId: string): Promise<void> {
  for (;;) {
    try {
      if ((await store.load(sessionId)) === undefined)
        await submitRun(store, sessionId, 'Go', { agent: 'test' });
      if ((await followOn(sessionId)) === 'completed') return;
    } catch (error) {
      if (!isShallotError(error)) throw error;
    }
    await sleep(200);
  }
}

/** Follows from where it has come to, in an earlier life perhaps. How the run ended. */
async function followOn(sessionId: string): Promise<string | undefined> {
  const file = join(terms.seen, sessionId);
  const after = lastMessage(file);
  for await (const event of followRun(store, sessionId, after === undefined ? {} : { after })) {
    if (event.type === 'run-end') return event.outcome;
    if ('message' in event) appendFileSync(file, `message ${event.message.id}\n`);
    if (event.type === 'interrupt') appendFileSync(file, `question ${event.interrupt.call?.id}\n`);
  }
  return undefined;
}

function lastMessage(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const messages = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('message '));
  return messages.at(-1)?.slice('message '.length);
}

/** Its answer depends on the conversation alone, so that any process goes on as the last one would have. */
const model: ChatModel = {
  id: 'test/storm',
  async generate({ messages }) {
    const step = messages.filter(({ role }) => role === 'assistant').length + 1;
    if (step > steps)
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'Done' }] }, finish: 'stop' };
    const calls = [`write-${step}-a`, step === askingStep ? `ask-${step}` : `write-${step}-b`];
    return {
      message: {
        role: 'assistant',
        content: calls.map((id) => ({ type: 'tool-call', id, name: id.split('-')[0] ?? '', input: {} })),
      },
      finish: 'tool-calls',
    };
  },
};

/** Writes its beginning and its end to the ledger, and whether its result was on record already. */
function tool(name: 'write' | 'ask', result: string): ReturnType<typeof defineTool> {
  return defineTool({
    name,
    description: 'Writes to the ledger.',
    effect: 'idempotent',
    input: { type: 'object' },
    async execute(_, { run, call, interrupt }) {
      const note = (what: string): void => appendFileSync(ledger, `${run.sessionId} ${call.id} ${what}\n`);
      if (name === 'ask') await interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } });
      const record = await database.load(run.sessionId);
      if (record !== undefined && hasResult(record, call.id)) note('repeated');
      await sleep(toolMs * (0.5 + Math.random()));
      note('end');
      return result;
    },
  });
}

/** In a message, or in the journal of the unfinished step. */
function hasResult({ messages, journal }: SessionRecord, callId: string): boolean {
  return (
    messages.some((message) => message.role === 'tool' && message.callId === callId) ||
    Object.values(journal).some((entry) => entry.type === 'final' && entry.message.callId === callId)
  );
}

if (terms.role === 'worker') await work();
else await submitAndFollow();
await database.close();
