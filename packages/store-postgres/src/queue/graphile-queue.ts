import { setTimeout as sleep } from 'node:timers/promises';

import { decodeText, encodeText, type Queue } from '@shallot/core/store';
import type { Runner } from 'graphile-worker';
import { Pool } from 'pg';

import { isLost } from '../database/store-failed.ts';
import { checkOptions, type PostgresStoreOptions } from '../options.ts';
import { digestOf } from '../sessions/commit-session.ts';
import { loadGraphile } from './load-graphile.ts';

/** Options of the queue: those of the connection, as for the store. */
export interface GraphileQueueOptions extends Pick<
  PostgresStoreOptions,
  'url' | 'directUrl' | 'poolSize' | 'ca'
> {
  /** How often to look for jobs of which no notification came, in milliseconds. Default: 2,000. */
  readonly pollIntervalMs?: number;
  /** The maximum number of jobs at once: at least the concurrency of the worker. Default: 16. */
  readonly concurrency?: number;
}

/** A queue that holds connections. */
export interface GraphileQueue extends Queue {
  close(): Promise<void>;
}

/** What graphile-worker calls the jobs of sessions. */
const task = 'shallot';

/**
 * Without a delay, graphile-worker awaits nobody's commit of a job: a connection that is lost then ends the process, by a
 * rejection that nobody handles. With one, it ends the runner.
 */
const handlesLosses = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/**
 * Wakes workers by jobs of graphile-worker in the same database. A store with the option `queue` adds them in the
 * transaction of the commit that makes a session resumable. Requires the package `graphile-worker`.
 */
export function graphileQueue({
  pollIntervalMs = 2000,
  concurrency = 16,
  ...options
}: GraphileQueueOptions): GraphileQueue {
  const { url, directUrl = url, poolSize, ca } = checkOptions(options);
  const pool = new Pool({
    connectionString: directUrl,
    max: poolSize,
    application_name: 'shallot queue',
    ...(ca === undefined ? {} : { ssl: { ca } }),
  });
  // A connection that is lost is replaced when it is needed.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));

  return {
    async wake(sessionId, { at } = {}) {
      const { makeWorkerUtils } = await loadGraphile();
      const utils = await makeWorkerUtils({ pgPool: pool });
      const session = encodeText(sessionId);
      await utils.addJob(
        task,
        { session },
        { jobKey: keyOf(session), ...(at === undefined ? {} : { runAt: new Date(at) }) },
      );
    },

    async listen(handler) {
      const { run, Logger } = await loadGraphile();
      const start = (): ReturnType<typeof run> =>
        run({
          pgPool: pool,
          concurrency,
          pollInterval: pollIntervalMs,
          noHandleSignals: true,
          preset: { worker: handlesLosses },
          // What fails shows in the log of the worker.
          logger: new Logger(() => () => undefined),
          taskList: {
            async [task](payload, { addJob }) {
              const session = sessionOf(payload);
              if (session === undefined) return;
              const again = await handler(decodeText(session));
              if (again !== undefined)
                await addJob(task, { session }, { jobKey: keyOf(session), runAt: new Date(again) });
            },
          },
        });
      return keepRunning(start, pollIntervalMs);
    },

    close: () => pool.end(),
  };
}

/** A runner ends with its database: another one takes its place. Resolves to what ends that. */
async function keepRunning(start: () => Promise<Runner>, pauseMs: number): Promise<() => Promise<void>> {
  let runner = await start();
  const stopping = new AbortController();
  const keep = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // How it ended makes no difference.
      await runner.promise.catch(() => undefined);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) runner = await start().catch(() => runner);
    }
  };
  const kept = keep();
  return async () => {
    stopping.abort();
    // It rejects when it is stopped already, or its connection was lost: nothing is left to stop then.
    await runner.stop().catch((error: unknown) => isLost(error));
    await kept;
  };
}

function sessionOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('session' in payload)) return undefined;
  return typeof payload.session === 'string' ? payload.session : undefined;
}

/** One job per session; the same as the store's, which has it from the database. */
function keyOf(session: string): string {
  return `shallot:${digestOf(session).toString('hex')}`;
}
