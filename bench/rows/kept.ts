import { measureInWorker } from '../measure-in-worker.ts';
import { plainRun } from '../workload.ts';
import { boundsOf, type Row, type RowEffort } from './row.ts';

/** Measured sizes of the heap vary by some bytes per run even if runs leave nothing. */
const roundedTo = 100;

/** The rows about memory that stays in use. */
export const keptRows: readonly Row[] = [
  {
    id: 'kept',
    title: 'What runs leave in memory, 10 plugins',
    figures: {
      anonymous: { label: 'a completed run without a session id, bytes', kind: 'ratio', ...boundsOf([0, 0]) },
      deleted: { label: 'a run whose session was deleted, bytes', kind: 'ratio', ...boundsOf([100, 0]) },
      agent: { label: 'an idle agent, to the floor', kind: 'ratio', ...boundsOf([3.5, 2]) },
      agentBytes: { label: 'an idle agent, bytes', kind: 'shown' },
    },
    async measure(effort) {
      const floor = await agentBytes('floor', effort);
      const ours = await agentBytes('shallot', effort);
      return {
        anonymous: await bytesPerRun('shallot-anonymous', effort),
        deleted: await bytesPerRun('shallot', effort),
        agent: ours / floor,
        agentBytes: ours,
      };
    },
  },
];

const workload = { ...plainRun, layers: 10 };

async function bytesPerRun(subject: 'shallot' | 'shallot-anonymous', effort: RowEffort): Promise<number> {
  const job = { subject, measure: 'heap-growth', workload, effort } as const;
  const { bytesPerRun } = await measureInWorker(job, effort.nodeArgs);
  return Math.max(0, Math.round(bytesPerRun / roundedTo) * roundedTo);
}

async function agentBytes(subject: 'floor' | 'shallot', effort: RowEffort): Promise<number> {
  const job = { subject, measure: 'agent-heap', workload, effort } as const;
  return (await measureInWorker(job, effort.nodeArgs)).bytes;
}
