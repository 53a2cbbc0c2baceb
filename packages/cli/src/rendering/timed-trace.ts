import type { Trace, TraceNode } from '@shallot/plugin-telemetry/trace';

import { isoTime } from './iso-time.ts';

/** Returns a trace as `--json` prints it: with times as text. */
export function timedTrace({ parts, ...trace }: Trace): unknown {
  return {
    ...trace,
    parts: parts.map(({ header, roots, lastAt, ...part }) => ({
      ...part,
      header: timed(header),
      roots: roots.map(timedNode),
      lastAt: isoTime(lastAt),
    })),
  };
}

function timedNode({ start, end, notes, children }: TraceNode): unknown {
  return {
    start: timed(start),
    ...(end && { end: timed(end) }),
    notes: notes.map(timed),
    children: children.map(timedNode),
  };
}

function timed(line: { readonly at: number }): unknown {
  return { ...line, at: isoTime(line.at) };
}
