import type { Claim, RunRecord } from '@shallot/core/store';

const noUsage = { input: 0, output: 0, total: 0, modelCalls: 0 };

/** Returns the record of a run in progress. */
export function runRecord(id: string): RunRecord {
  return {
    id,
    status: 'running',
    step: 1,
    usage: noUsage,
    usageBefore: noUsage,
    startedAt: 0,
    state: {},
    position: { at: 'step' },
    interrupts: [],
    answers: {},
  };
}

/** Returns a claim of a process on another machine. */
export function newClaimFor(host: string, leaseMs: number): Claim {
  return { owner: `of ${host}`, host, pid: 1, expiresAt: Date.now() + leaseMs };
}
