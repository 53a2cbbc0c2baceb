import { join } from 'node:path';

import { figuresOf } from '../node-process.ts';
import type { Row } from './row.ts';

/** The rows about the cost of serving an agent over HTTP. */
export const servedRows: readonly Row[] = [
  {
    id: 'served-clients',
    title: '500 clients that follow 50 runs in progress, on sockets',
    figures: {
      heapKb: { label: 'heap of a client, kB', kind: 'shown', must: 50, proud: 25 },
      rssKb: { label: 'memory of the process for a client, kB', kind: 'shown' },
    },
    isApart: true,
    measure: ({ nodeArgs }) => measure([...nodeArgs, '--expose-gc', 'served.ts', 'clients']),
  },
  {
    id: 'served-chunks',
    title: 'A chunk of a model that a client receives, one in each turn of the event loop',
    figures: {
      ratio: { label: 'to a bare server that writes the same bytes', kind: 'ratio', must: 1.5, proud: 1.2 },
      oursUs: { label: 'served, CPU µs', kind: 'shown' },
      bareUs: { label: 'by hand, CPU µs', kind: 'shown' },
    },
    isApart: true,
    measure: ({ nodeArgs }) => measure([...nodeArgs, 'served.ts', 'chunks']),
  },
  {
    id: 'served-runs',
    title: '1,000 runs of ten steps that a server executes',
    figures: {
      ratio: { label: 'to agent.stream', kind: 'ratio', must: 1.5, proud: 1.2 },
      oursUs: { label: 'served, CPU µs', kind: 'shown' },
      directUs: { label: 'agent.stream, CPU µs', kind: 'shown' },
    },
    isApart: true,
    measure: ({ nodeArgs }) => measure([...nodeArgs, 'served.ts', 'runs']),
  },
];

function measure(args: readonly string[]): Promise<Record<string, number>> {
  return figuresOf(args, { cwd: join(import.meta.dirname, '..'), timeoutMs: 600_000 });
}
