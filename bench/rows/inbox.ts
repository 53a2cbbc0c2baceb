import { join } from 'node:path';

import { figuresOf } from '../node-process.ts';
import { boundsOf, type Bounds, type Row } from './row.ts';

/**
 * The rows about the inbox: its cost for runs that nobody writes to, and how soon a run sees what another process
 * sends.
 */
export const inboxRows: readonly Row[] = [
  unwritten('memory', 'in memory', [1.05, 1.01]),
  unwritten('sqlite', 'on SQLite', [1.15, 1.05]),
  unwritten('postgres', 'over PostgreSQL', [1.5, 1.2]),
  latency('sqlite', 'SQLite', [50, 25]),
  latency('postgres', 'PostgreSQL', [100, 30]),
];

function unwritten(store: string, where: string, bounds: Bounds): Row {
  return {
    id: `unwritten-${store}`,
    title: `A step ${where} of a run to which nobody sends anything`,
    figures: {
      ratio: { label: 'with an inbox, to a store without one', kind: 'ratio', ...boundsOf(bounds) },
      withUs: { label: 'with an inbox, CPU µs', kind: 'shown' },
      withoutUs: { label: 'without one, CPU µs', kind: 'shown' },
    },
    isApart: store === 'postgres',
    measure: ({ nodeArgs }) => measure([...nodeArgs, 'unwritten.ts', store]),
  };
}

function latency(store: string, name: string, bounds: Bounds): Row {
  const seen = (what: string): Row['figures'][string] => ({
    label: `${what}, the median, wall ms`,
    kind: 'shown',
    ...boundsOf(bounds),
  });
  const slow = (what: string): Row['figures'][string] => ({
    label: `${what}, 57 of 60 are faster, wall ms`,
    kind: 'shown',
  });
  return {
    id: `inbox-${store}`,
    title: `From a call in another process to the run that has seen it, over ${name}, on the disk`,
    figures: {
      messageMs: seen('a message, with the step before it'),
      messageSlowMs: slow('a message'),
      answerMs: seen('an answer, beside a call at work'),
      answerSlowMs: slow('an answer'),
      stopMs: seen('a stop, with the step before it'),
      stopSlowMs: slow('a stop'),
    },
    isApart: true,
    measure: ({ nodeArgs }) => measure([...nodeArgs, 'inbox-latency.ts', store]),
  };
}

function measure(args: readonly string[]): Promise<Record<string, number>> {
  return figuresOf(args, { cwd: join(import.meta.dirname, '..'), timeoutMs: 300_000 });
}
