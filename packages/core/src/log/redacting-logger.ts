import type { Redactor } from '../redact/redactor.ts';
import type { LogLosses } from './log-losses.ts';
import type { Logger, LogLevel } from './logger.ts';

type LogArguments = [details: object | string, message?: string];

export interface RedactingLoggerParts {
  /** Gives the logger behind; called with the first line. */
  readonly open: () => Logger;
  readonly isEnabled: (level: LogLevel) => boolean;
  readonly redactor: Redactor;
  readonly losses: LogLosses;
}

/** Passes lines on without their secrets, and never throws. What is below the level costs nothing. */
export class RedactingLogger implements Logger {
  readonly #parts: RedactingLoggerParts;
  #logger: Logger | undefined;

  constructor(parts: RedactingLoggerParts) {
    this.#parts = parts;
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

  /** For whoever would work to find out what to log. */
  isLevelEnabled(level: LogLevel): boolean {
    return this.#parts.isEnabled(level);
  }

  child(bindings: Record<string, unknown>): Logger {
    const { redactor } = this.#parts;
    // A copy of an object is an object.
    const clean = (): Record<string, unknown> => redactor.value(bindings) as Record<string, unknown>;
    return new RedactingLogger({ ...this.#parts, open: () => this.#open().child(clean()) });
  }

  #log(level: Exclude<LogLevel, 'silent'>, args: LogArguments): void {
    const { isEnabled, losses } = this.#parts;
    try {
      if (!isEnabled(level)) return;
      const logger = this.#open();
      // Both signatures of a log method take these; a logger of the user's may lack one.
      const log: unknown = Reflect.get(logger, level);
      if (typeof log === 'function') Reflect.apply(log, logger, this.#redact(args));
    } catch (error) {
      losses.note(error);
    }
  }

  #redact([details, ...rest]: LogArguments): unknown[] {
    const { redactor } = this.#parts;
    const others = rest.map((each) => redactor.value(each));
    if (!(details instanceof Error)) return [redactor.value(details), ...others];
    // As pino does with an error: it tells no errors from objects once they are copied.
    return [
      { err: redactor.value(details) },
      ...(others.length > 0 ? others : [redactor.text(details.message)]),
    ];
  }

  #open(): Logger {
    this.#logger ??= this.#parts.open();
    return this.#logger;
  }
}
