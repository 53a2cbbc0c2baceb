import { createRequire } from 'node:module';

import type { LogStream } from '@shallot/core/plugin';
import type Pretty from 'pino-pretty';

import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';

/**
 * Where the lines of the agent's log go: to stderr, below an answer's unfinished line; on a terminal in a form for people. The
 * warnings of runs are left out: they are events, too, and are shown as such.
 */
export function logLines(screen: Screen): LogStream {
  let show = (line: string): string => {
    show = screen.io.stderr.isTTY === true ? prettyLines(screen) : (each) => each;
    return show(line);
  };
  return {
    write(line) {
      if (!isRunWarning(line)) screen.note(show(line).trimEnd());
    },
  };
}

/** pino-pretty is loaded with the first line. */
function prettyLines({ paintNotes }: Screen): (line: string) => string {
  // By `require`: a line is shown when it is written, and an import would come too late.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof Pretty;
  const pretty = prettyFactory({
    colorize: paintNotes.isColorSupported,
    ignore: 'pid,hostname,name',
    translateTime: 'SYS:HH:MM:ss.l',
  });
  return (line) => pretty(`${withoutControls(line)}\n`);
}

/** JSON writes most of what steers a terminal as numbers; made readable, it would be obeyed. */
function withoutControls(line: string): string {
  return printable(line.replace(/\\u00(?:[01][\da-f]|7f|[89][\da-f])/gi, ''));
}

const warn = 40;

function isRunWarning(line: string): boolean {
  if (!line.includes('"code":') || !line.includes('"runId":')) return false;
  try {
    const { level, runId, sessionId, code, msg } = JSON.parse(line) as Record<string, unknown>;
    return level === warn && [runId, sessionId, code, msg].every((value) => typeof value === 'string');
  } catch {
    // Another line of the log than those of the core.
    return false;
  }
}
