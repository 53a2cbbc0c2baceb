import type { Redactor } from '../redact/redactor.ts';
import type { LogLosses } from './log-losses.ts';
import type { Logger, LogLevel } from './logger.ts';

type LogArguments = [details: object | string, message?: string];

export interface RedactingLoggerParts {
  /** Returns the underlying logger; called with the first line. */
  readonly open: () => Logger;
  readonly isEnabled: (level: LogLevel) => boolean;
  readonly redactor: Redactor;
  readonly losses: LogLosses;
}

/** A logger that removes secrets before passing lines on, and never throws. Disabled levels cost nothing. */
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

  isLevelEnabled(level: LogLevel): boolean {
    return this.#parts.isEnabled(level);
  }

  child(bindings: Record<string, unknown>): Logger {
    const { redactor } = this.#parts;
    const clean = (): Record<string, unknown> => redactor.value(bindings) as Record<string, unknown>;
    return new RedactingLogger({ ...this.#parts, open: () => this.#open().child(clean()) });
  }

  #log(level: Exclude<LogLevel, 'silent'>, args: LogArguments): void {
    const { isEnabled, losses } = this.#parts;
    try {
      if (!isEnabled(level)) return;
      const logger = this.#open();
      // Both signatures of a log method accept these arguments; a custom logger may lack a method.
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
    // Written like an error by pino, which cannot recognise an error after copying.
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
