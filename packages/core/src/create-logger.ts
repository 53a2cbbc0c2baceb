import { createRequire } from 'node:module';

import type Pino from 'pino';

import type { Logger } from './logger.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof levels)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return (levels as readonly unknown[]).includes(value);
}

/** A logger as it is, or one of pino's that writes lines of JSON to stderr: pino is loaded with the first line. */
export function createLogger(option: Logger | LogLevel): Logger {
  if (typeof option !== 'string') return option;
  let root: Logger | undefined;
  const load = (): Logger => (root ??= loadPino(option));
  return new LazyLogger(levels.indexOf(option), load);
}

type LogArguments = [details: object | string, message?: string];

/** Drops what is below its level without loading anything. */
class LazyLogger implements Logger {
  readonly #level: number;
  readonly #load: () => Logger;
  #logger: Logger | undefined;

  constructor(level: number, load: () => Logger) {
    this.#level = level;
    this.#load = load;
  }

  trace(...args: LogArguments): void {
    this.#log('trace', args);
  }

  debug(...args: LogArguments): void {
    this.#log('debug', args);
  }

  info(...args: LogArguments): void {
    this.#log('info', args);
  }

  warn(...args: LogArguments): void {
    this.#log('warn', args);
  }

  error(...args: LogArguments): void {
    this.#log('error', args);
  }

  fatal(...args: LogArguments): void {
    this.#log('fatal', args);
  }

  child(bindings: Record<string, unknown>): Logger {
    return new LazyLogger(this.#level, () => this.#load().child(bindings));
  }

  #log(level: Exclude<LogLevel, 'silent'>, args: LogArguments): void {
    if (levels.indexOf(level) < this.#level) return;
    this.#logger ??= this.#load();
    // The two signatures of a log method, joined.
    (this.#logger as unknown as Record<string, (...args: unknown[]) => void>)[level]?.(...args);
  }
}

function loadPino(level: LogLevel): Logger {
  // Loaded by `require`, because a line must be written where it is logged, and an import would come too late.
  const { pino } = createRequire(import.meta.url)('pino') as { pino: typeof Pino };
  return pino({ level, name: 'shallot' }, pino.destination({ dest: 2, sync: true }));
}
