import { createRequire } from 'node:module';
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

/** Drops what is below its level without loading anything. */
class LazyLogger implements Logger {
  readonly #level: number;
  readonly #load: () => Logger;
  #logger: Logger | undefined;

  constructor(level: number, load: () => Logger) {
    this.#level = level;
    this.#load = load;
  }

  readonly trace = this.#method('trace');
  readonly debug = this.#method('debug');
  readonly info = this.#method('info');
  readonly warn = this.#method('warn');
  readonly error = this.#method('error');
  readonly fatal = this.#method('fatal');

  child(bindings: Record<string, unknown>): Logger {
    return new LazyLogger(this.#level, () => this.#load().child(bindings));
  }

  #method(level: Exclude<LogLevel, 'silent'>): Logger['info'] {
    const rank = levels.indexOf(level);
    return (...args: [details: object | string, message?: string]) => {
      if (rank < this.#level) return;
      this.#logger ??= this.#load();
      // The two signatures of a log method, joined.
      (this.#logger[level] as (...args: unknown[]) => void)(...args);
    };
  }
}

function loadPino(level: LogLevel): Logger {
  // Loaded by `require`, because a line must be written where it is logged, and an import would come too late.
  const { pino } = createRequire(import.meta.url)('pino') as typeof import('pino');
  return pino({ level, name: 'shallot' }, pino.destination({ dest: 2, sync: true }));
}
