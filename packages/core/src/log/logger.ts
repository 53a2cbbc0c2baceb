/** The methods of pino that the core and plugins use: a pino logger is one. */
export interface Logger {
  trace: LogMethod;
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
  fatal: LogMethod;
  /** Whether lines of this level go anywhere. For whoever would work to find out what to log. */
  isLevelEnabled?(level: string): boolean;
  child(bindings: Record<string, unknown>): Logger;
}

interface LogMethod {
  (message: string): void;
  (details: object, message?: string): void;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/** Where lines of a log go, each with its end of line. */
export interface LogStream {
  write(line: string): unknown;
}
