import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { decodeText, encodeText, type Queue } from '@shallot/core/store';
import type { Runner, Task } from 'graphile-worker';
import { Pool } from 'pg';

import { returnOnce } from '../database/return-once.ts';
import { isLost } from '../database/store-failed.ts';
import { checkOptions, type PostgresStoreOptions } from '../options.ts';
import { digestOf } from '../sessions/commit-session.ts';
import { loadGraphile } from './load-graphile.ts';

/** Options of the queue: those of the connection, as for the store. */
export interface GraphileQueueOptions extends Pick<
  PostgresStoreOptions,
  'url' | 'directUrl' | 'schema' | 'poolSize' | 'ca'
> {
  /** The polling interval for jobs without a notification, in milliseconds. Default: 2,000. */
  readonly pollIntervalMs?: number;
  /** The maximum number of parallel jobs: at least the concurrency of the worker. Default: 16. */
  readonly concurrency?: number;
}

/** A queue with connections to close. */
export interface GraphileQueue extends Queue {
  close(): Promise<void>;
}

/**
 * Returns the name of the task for the runs of an agent, or for those of none: all schemas of a database share the jobs of
 * graphile-worker. The same as in the store's SQL.
 */
function taskOf(schema: string, agent?: string): string {
  const own = `shallot:${schema}`;
  return agent === undefined ? own : `${own}:${createHash('md5').update(encodeText(agent)).digest('hex')}`;
}

/**
 * Without a delay, graphile-worker does not await the commit of a job, so a lost connection causes an unhandled
 * rejection, which ends the process. With one, it only ends the runner.
 */
const handlesLosses = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/**
 * Wakes workers through graphile-worker jobs in the same database. A store with the option `queue` adds them in the
 * transaction of the commit that makes a session resumable. Requires the package `graphile-worker`.
 */
export function graphileQueue({
  pollIntervalMs = 2000,
  concurrency = 16,
  ...options
}: GraphileQueueOptions): GraphileQueue {
  const { url, directUrl = url, schema, poolSize, ca } = checkOptions(options);
  const pool = new Pool({
    connectionString: directUrl,
    max: poolSize,
    application_name: 'shallot queue',
    ...(ca === undefined ? {} : { ssl: { ca } }),
  });
  returnOnce(pool);
  // A lost connection is replaced on demand.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));

  return {
    async wake(sessionId, { at, agent } = {}) {
      const { makeWorkerUtils } = await loadGraphile();
      const utils = await makeWorkerUtils({ pgPool: pool });
      const session = encodeText(sessionId);
      await utils.addJob(
        taskOf(schema, agent),
        { session },
        { jobKey: keyOf(schema, session), ...(at === undefined ? {} : { runAt: new Date(at) }) },
      );
    },

    async listen(handler, { agent } = {}) {
      const { run, Logger } = await loadGraphile();
      const take =
        (task: string): Task =>
        async (payload, { addJob }) => {
          const session = sessionOf(payload);
          if (session === undefined) return;
          const again = await handler(decodeText(session));
          if (again !== undefined)
            await addJob(task, { session }, { jobKey: keyOf(schema, session), runAt: new Date(again) });
        };
      const start = (): ReturnType<typeof run> =>
        run({
          pgPool: pool,
          concurrency,
          pollInterval: pollIntervalMs,
          noHandleSignals: true,
          preset: { worker: handlesLosses },
          // The worker logs failures itself.
          logger: new Logger(() => () => undefined),
          taskList: Object.fromEntries(
            [taskOf(schema), taskOf(schema, agent)].map((task) => [task, take(task)]),
          ),
        });
      return keepRunning(start, pollIntervalMs);
    },

    close: () => pool.end(),
  };
}

/** Restarts the runner whenever it ends with a lost connection. Resolves to a function that stops it. */
async function keepRunning(start: () => Promise<Runner>, pauseMs: number): Promise<() => Promise<void>> {
  let runner = await start();
  const stopping = new AbortController();
  const keep = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // The reason of the end does not matter.
      await runner.promise.catch(() => undefined);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) runner = await start().catch(() => runner);
    }
  };
  const kept = keep();
  return async () => {
    stopping.abort();
    // Rejects if the runner is already stopped or lost its connection: nothing is left to stop.
    await runner.stop().catch((error: unknown) => isLost(error));
    await kept;
  };
}

function sessionOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('session' in payload)) return undefined;
  return typeof payload.session === 'string' ? payload.session : undefined;
}

/** The job key: one job per session. The store computes the same key in SQL. */
function keyOf(schema: string, session: string): string {
  return `${taskOf(schema)}:${digestOf(session).toString('hex')}`;
}
