import { createRequire } from 'node:module';

import type { LogStream } from '@shallot/core';
import type Pretty from 'pino-pretty';

import { printable } from './printable.ts';
import type { Screen } from './screen.ts';

/**
 * Where the log of an agent goes: on a terminal it is made readable, by pino-pretty, which is loaded with the first line.
 * Undefined for the core's own way, to stderr.
 */
export function logStream(screen: Screen): LogStream | undefined {
  const { stderr } = screen.io;
  if (stderr.isTTY !== true) {
    return stderr === process.stderr ? undefined : { write: (line) => stderr.write(line) };
  }
  let pretty: ((line: string) => string) | undefined;
  return {
    write(line) {
      pretty ??= loadPretty(screen);
      screen.note(pretty(withoutControls(line)).trimEnd());
    },
  };
}

function loadPretty({ paintNotes }: Screen): (line: string) => string {
  // By `require`: a line is shown when it is written, and an import would come too late.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof Pretty;
  return prettyFactory({
    colorize: paintNotes.isColorSupported,
    ignore: 'pid,hostname,name',
    translateTime: 'SYS:HH:MM:ss.l',
  });
}

/** JSON writes most of what steers a terminal as numbers; made readable, it would be obeyed. */
function withoutControls(line: string): string {
  return `${printable(line.replace(/\\u00(?:[01][\da-f]|7f|[89][\da-f])/gi, ''))}\n`;
}
