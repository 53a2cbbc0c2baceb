import { resolve } from 'node:path';

import { safeName } from '@shallot/core';
import type { Prices, Redactor } from '@shallot/core/plugin';

import type { RunActivity, Sink } from '../observe/activity.ts';
import type { Losses } from '../observe/losses.ts';
import { activityLines } from './activity-lines.ts';
import { TraceFile } from './trace-file.ts';
import type { TraceLine } from './trace-line.ts';

/** Options of trace files. */
export interface TraceOptions {
  /** Path of a run's file, relative to the working directory; `{sessionId}` and `{runId}` are replaced by the ids. */
  readonly file: string;
  /** Writes messages, instructions, tool arguments and results. Default: false. */
  readonly content?: boolean;
  /** Called with the path of each file that is written. In code only. */
  readonly opened?: (path: string) => void;
}

interface Surroundings {
  readonly redactor: Redactor;
  readonly losses: Losses;
  readonly prices: Prices | undefined;
}

const name = 'trace files';
/** The time to wait for files when the agent is closed, because a disk that hangs must not prevent that. */
const closingMs = 10_000;

/** Writes a file of JSON lines for each run. */
export function traceSink(
  { file, content = false, opened }: TraceOptions,
  { redactor, losses, prices }: Surroundings,
): Sink {
  const open = new Set<Promise<void>>();
  return {
    name,
    observe(run) {
      const lines = activityLines(run, { content, prices });
      const target = new TraceFile(safeName(run.info.id), {
        path: pathOf(file, run),
        // A file name without placeholders is meant for the run that a person begins, not for the runs that it
        // begins.
        isForOthers: run.info.parent !== undefined && !placeholder.test(file),
        opened,
        lost: (count, error) => losses.count(name, error, count),
      });
      const write = (line: TraceLine): void => target.add(JSON.stringify(redactor.value(line)));
      write(lines.header());
      return {
        started: (activity) => write(lines.start(activity)),
        noted: (activity, note, at) => write(lines.note(activity, note, at)),
        ended(activity) {
          write(lines.end(activity));
          if (activity !== run) return;
          const closing = target.close().finally(() => open.delete(closing));
          open.add(closing);
        },
      };
    },
    async close() {
      const { size } = open;
      if (await isInTime(Promise.all(open))) return;
      losses.count(name, new Error(`${file} has accepted no data for ${closingMs / 1000} s`), size);
    },
  };
}

async function isInTime(work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve: give } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => give(false), closingMs);
  try {
    return await Promise.race([work.then(() => true), promise]);
  } finally {
    clearTimeout(timer);
  }
}

const placeholder = /\{(sessionId|runId)\}/;

function pathOf(file: string, { info }: RunActivity): string {
  const ids: Readonly<Record<string, string>> = { sessionId: info.sessionId, runId: info.id };
  return resolve(file.replaceAll(new RegExp(placeholder, 'g'), (_, id: string) => safeName(ids[id] ?? '')));
}
