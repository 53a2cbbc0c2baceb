/** The pino methods that the core and plugins use. Any pino logger fits. */
export interface Logger {
  trace: LogMethod;
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
  fatal: LogMethod;
  /** Returns true if lines of this level are written. Check it before costly work for a log line. */
  isLevelEnabled?(level: string): boolean;
  child(bindings: Record<string, unknown>): Logger;
}

interface LogMethod {
  (message: string): void;
  (details: object, message?: string): void;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/** Receives log lines, each with its line ending. */
export interface LogStream {
  write(line: string): unknown;
}
