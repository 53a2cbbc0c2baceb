import type { Logger, LogLevel } from '../src/log/logger.ts';

/** A logger that keeps what it is given. */
export interface NotedLog {
  readonly log: Logger;
  /** The level of each line, with its details and its message. */
  readonly lines: readonly (readonly unknown[])[];
}

export function notedLog(): NotedLog {
  const lines: unknown[][] = [];
  const at =
    (level: LogLevel) =>
    (...given: readonly unknown[]): void =>
      void lines.push([level, ...given]);
  const log: Logger = {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    child: () => log,
  };
  return { log, lines };
}
