import { join } from 'node:path';

import { figuresOf } from '../node-process.ts';
import { boundsOf, type Row } from './row.ts';

/** The rows about the PostgreSQL store and its workers; each row starts its own server. */
export const postgresRows: readonly Row[] = [
  row('commit', 'A commit of the PostgreSQL store, without the disk', {
    bare: { label: 'to two inserts in one round trip', kind: 'ratio', ...boundsOf([4, 3]) },
    history: { label: 'at message 10,000, to one at message 10', kind: 'ratio', ...boundsOf([1.5, 1.1]) },
    sessions: { label: 'among 100,000 sessions, to one among two', kind: 'ratio', ...boundsOf([1.5, 1.1]) },
    commitMs: { label: 'a commit, wall ms', kind: 'shown' },
    bareMs: { label: 'two inserts, wall ms', kind: 'shown' },
  }),
  row('steps', 'A step of a worker with 8 runs at once over PostgreSQL, on the disk', {
    stepMs: { label: 'wall ms (5 are 200 steps a second)', kind: 'shown', ...boundsOf([5, 2]) },
    cpuMs: { label: 'of the worker, CPU ms', kind: 'shown' },
  }),
  row('peers', 'A step kept in PostgreSQL, 15 runs at once, beside what a user would take instead', {
    reading: { label: 'with a reading tool, to two inserts by hand', kind: 'ratio', ...boundsOf([2, 1.5]) },
    writing: { label: 'with a writing tool, to two inserts by hand', kind: 'ratio' },
    dbos: { label: 'with a reading tool, to DBOS', kind: 'ratio', ...boundsOf([1, 0.5]) },
    langgraph: { label: 'with a reading tool, to LangGraph', kind: 'ratio', ...boundsOf([1, 0.5]) },
    handMs: { label: 'two inserts by hand, wall ms', kind: 'shown' },
    ownMs: { label: 'with a reading tool, wall ms', kind: 'shown' },
  }),
  row('wake', 'From submitting a run to its first hook, on an idle worker over PostgreSQL', {
    medianMs: { label: 'the median, wall ms', kind: 'shown', ...boundsOf([30, 10]) },
    slowMs: { label: 'the 95th of 100, wall ms', kind: 'shown' },
  }),
  row(
    'memory',
    'What 8,000 runs leave in the memory of a worker over PostgreSQL, once their sessions are deleted',
    {
      grownKb: { label: 'heap, kB', kind: 'shown', ...boundsOf([1000, 100]) },
      heapMb: { label: 'the heap afterwards, MB', kind: 'shown' },
    },
    ['--expose-gc'],
  ),
];

function row(name: string, title: string, figures: Row['figures'], flags: readonly string[] = []): Row {
  return {
    id: `postgres-${name}`,
    title,
    figures,
    isApart: true,
    measure: ({ nodeArgs }) =>
      figuresOf([...nodeArgs, ...flags, `postgres/${name}.ts`], {
        cwd: join(import.meta.dirname, '..'),
        timeoutMs: 600_000,
      }),
  };
}
