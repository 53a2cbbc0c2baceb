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

export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof levels)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return (levels as readonly unknown[]).includes(value);
}

/** Where lines of a log go, each with its end of line. */
export interface LogStream {
  write(line: string): unknown;
}
