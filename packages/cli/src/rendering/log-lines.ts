import { createRequire } from 'node:module';

import type { LogStream } from '@shallot/core/command';
import type Pretty from 'pino-pretty';

import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';

/** The parts of a run that a command prints itself, so their log lines are omitted. */
export interface ShownBeside {
  /** The error of a run that fails. */
  readonly runs?: boolean;
  /** The events of plugins. */
  readonly events?: boolean;
}

/**
 * Returns the stream for the agent's log: stderr, below an unfinished line of the answer; formatted on a terminal.
 * Lines that the command shows in its own form are left out; warnings of a run always are.
 */
export function logLines(screen: Screen, beside: ShownBeside = {}): LogStream {
  let show = (line: string): string => {
    show = screen.io.stderr.isTTY === true ? prettyLines(screen) : (each) => each;
    return show(line);
  };
  return {
    write(line) {
      if (!isRepeated(line, beside)) screen.note(show(line).trimEnd());
    },
  };
}

/** Returns a formatter. pino-pretty is loaded with the first line. */
function prettyLines({ paintNotes }: Screen): (line: string) => string {
  // Loaded by `require`, because an import would be too late for the current line.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof Pretty;
  const pretty = prettyFactory({
    colorize: paintNotes.isColorSupported,
    ignore: 'pid,hostname,name',
    translateTime: 'SYS:HH:MM:ss.l',
  });
  return (line) => pretty(`${withoutControls(line)}\n`);
}

/** Removes escaped control characters, which formatting would turn into real ones. */
function withoutControls(line: string): string {
  return printable(line.replace(/\\u00(?:[01][\da-f]|7f|[89][\da-f])/gi, ''));
}

const levels = { warn: 40, error: 50 } as const;

/** Returns whether a line repeats what the command shows: a warning of a run, its failure, or an event of a plugin. */
function isRepeated(line: string, { runs = false, events = false }: ShownBeside): boolean {
  if (!line.includes('"runId":')) return false;
  try {
    const { level, runId, sessionId, code, msg, outcome, plugin, event } = JSON.parse(line) as Record<
      string,
      unknown
    >;
    if (level === levels.error) return runs && outcome === 'failed';
    const isWarning = level === levels.warn && areStrings(runId, sessionId, code, msg);
    return isWarning || (events && areStrings(runId, plugin, event));
  } catch {
    // The line is not a log line of the core.
    return false;
  }
}

function areStrings(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}
