import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { decodeText, encodeText, type Queue } from '@shallot/core/store';
import type { Runner, Task } from 'graphile-worker';
import type { Pool } from 'pg';

import { placeOf } from '../database/database.ts';
import { sharePool, type PoolShare } from '../database/share-pool.ts';
import { isLost, storeFailed } from '../database/store-failed.ts';
import { checkOptions, type PostgresStoreOptions } from '../options.ts';
import { digestOf } from '../sessions/commit-session.ts';
import { loadGraphile } from './load-graphile.ts';

/** Options of the queue: those of the connection, as for the store. */
export interface GraphileQueueOptions extends Pick<
  PostgresStoreOptions,
  'url' | 'directUrl' | 'schema' | 'poolSize' | 'connectTimeoutMs' | 'queryTimeoutMs' | 'ca'
> {
  /**
   * The polling interval for jobs without a notification, in milliseconds; workers also poll the store. Default:
   * 17,000.
   */
  readonly pollIntervalMs?: number;
}

/** A queue with connections to close. */
export interface GraphileQueue extends Queue {
  close(): Promise<void>;
}

/**
 * Returns the name of the task for the runs of an agent, or for runs of no agent. It contains the schema, because all
 * schemas of a database share the jobs of graphile-worker. The store's SQL makes the same name.
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
 * The number of jobs that are taken at once. A job ends as soon as the worker has taken the session, so a worker
 * without room keeps only this number from others.
 */
const places = 1;

/**
 * The default interval. It differs from that of the workers' polling, because both at once would need another
 * connection.
 */
const defaultPollMs = 17_000;

/** The first and the longest pause before another attempt to start, in milliseconds. */
const [firstPauseMs, longestPauseMs] = [100, 5000];

/**
 * Wakes workers through graphile-worker jobs in the same database. A store with the option `queue` adds them in the
 * transaction of the commit that makes a session resumable. Requires the package `graphile-worker`. @throws
 * `OPTION_INVALID`
 */
export function graphileQueue({
  pollIntervalMs = defaultPollMs,
  ...options
}: GraphileQueueOptions): GraphileQueue {
  const complete = checkOptions(options);
  const { schema, directUrl: url = complete.url } = complete;
  let share: PoolShare | undefined;
  const open = (): Pool => (share ??= sharePool({ ...complete, url })).pool;

  return {
    async wake(sessionId, { at, agent } = {}) {
      const { makeWorkerUtils } = await loadGraphile();
      const session = encodeText(sessionId);
      const when = at === undefined ? {} : { runAt: new Date(at) };
      try {
        const utils = await makeWorkerUtils({ pgPool: open() });
        await utils.addJob(taskOf(schema, agent), { session }, { jobKey: keyOf(schema, session), ...when });
      } catch (error) {
        throw storeFailed(placeOf(url), error);
      }
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
          pgPool: open(),
          concurrency: places,
          pollInterval: pollIntervalMs,
          noHandleSignals: true,
          preset: { worker: handlesLosses },
          // The worker logs failures itself.
          logger: new Logger(() => () => undefined),
          taskList: Object.fromEntries(
            [taskOf(schema), taskOf(schema, agent)].map((task) => [task, take(task)]),
          ),
        });
      return keepRunning(start, placeOf(url));
    },

    close: async () => share?.end(),
  };
}

/**
 * Starts the runner, and starts it again whenever it ends, for example with a lost connection. If the database cannot be
 * reached yet, it tries again later. Resolves to a function that stops the runner. @throws `STORE_FAILED` if the first
 * start fails for any other reason
 */
async function keepRunning(start: () => Promise<Runner>, where: string): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  let runner = await start().catch((error: unknown) => {
    if (!isLost(error)) throw storeFailed(where, error);
    return undefined;
  });
  const keep = async (): Promise<void> => {
    let pauseMs = firstPauseMs;
    while (!stopping.signal.aborted) {
      if (runner !== undefined) {
        pauseMs = firstPauseMs;
        // The reason why the runner ended does not matter.
        await runner.promise.catch(() => undefined);
      }
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      if (!stopping.signal.aborted) runner = await start().catch(() => undefined);
    }
  };
  const kept = keep();
  return async () => {
    stopping.abort();
    // Rejects if the runner is already stopped or lost its connection: nothing is left to stop.
    await runner?.stop().catch((error: unknown) => isLost(error));
    await kept;
    await runner?.stop().catch((error: unknown) => isLost(error));
  };
}

function sessionOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('session' in payload)) return undefined;
  return typeof payload.session === 'string' ? payload.session : undefined;
}

/** Returns the job key: one job per session. The store computes the same key in SQL. */
function keyOf(schema: string, session: string): string {
  return `${taskOf(schema)}:${digestOf(session).toString('hex')}`;
}
