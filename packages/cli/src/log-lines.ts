import type { LogStream } from '@shallot/core';

import type { Screen } from './screen.ts';

/**
 * Where the lines of the agent's log go: to stderr, below an answer's unfinished line. The warnings of runs are left out: they
 * are events, too, and are shown as such.
 */
export function logLines(screen: Screen): LogStream {
  return {
    write(line) {
      if (!isRunWarning(line)) screen.note(line.trimEnd());
    },
  };
}

const warn = 40;

function isRunWarning(line: string): boolean {
  if (!line.includes('"code":') || !line.includes('"run":')) return false;
  try {
    const { level, run, session, code, msg } = JSON.parse(line) as Record<string, unknown>;
    return level === warn && [run, session, code, msg].every((value) => typeof value === 'string');
  } catch {
    return false;
  }
}
