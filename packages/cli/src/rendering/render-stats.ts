import type { StoreStats, WaitingRuns } from '@shallot/core/store';

import { visibleLine } from '../terminal/visible.ts';

/** Renders the statistics of a store for people, one number per line. */
export function renderStats({ sessions, damaged, waiting, running, parked }: StoreStats): string[] {
  const states = Object.entries(sessions)
    .toSorted(([a, n], [b, m]) => m - n || a.localeCompare(b))
    .map(([status, count]) => `${status} ${count}`);
  const total = Object.values(sessions).reduce((sum, count) => sum + count, 0);
  return [
    `sessions  ${total}${states.length === 0 ? '' : ` (${states.join(', ')})`}`,
    ...(damaged === 0 ? [] : [`damaged   ${damaged}`]),
    ...linesOf('waiting', waiting.map(renderWaiting)),
    ...linesOf(
      'running',
      running.map(({ host, pid, count }) => `${count} by process ${pid} on ${visibleLine(host)}`),
    ),
    ...linesOf(
      'parked',
      parked.map(({ reason, count }) => `${count} with ${visibleLine(reason)}`),
    ),
  ];
}

function linesOf(name: string, lines: readonly string[]): string[] {
  return (lines.length === 0 ? ['0'] : lines).map((line) => `${name.padEnd(9)} ${line}`);
}

function renderWaiting({ agent, version, owner, count, oldestMs }: WaitingRuns): string {
  const target =
    agent === undefined
      ? 'any agent'
      : visibleLine(agent) + (version === undefined ? '' : `@${visibleLine(version)}`);
  const from = owner === undefined ? '' : ` of ${visibleLine(owner)}`;
  return `${count} for ${target}${from}, the oldest for ${Math.round(oldestMs / 1000)} s`;
}
