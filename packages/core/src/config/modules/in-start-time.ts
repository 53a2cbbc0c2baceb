import type { ErrorCode } from '../../base/error-codes.ts';
import { ShallotError, type SourceLocation } from '../../base/errors.ts';
import { inTime } from '../../base/in-time.ts';

/** Work with a time limit, and the location that caused it. */
interface Started {
  readonly what: string;
  readonly at: SourceLocation;
  readonly plugin?: string | undefined;
  readonly startTimeoutMs: number;
  readonly code?: ErrorCode;
  /** The advice in the timeout error. Default: raise startTimeoutMs. */
  readonly remedy?: string;
}

/**
 * Returns the result of importing or creating something. @throws `code`, by default `MODULE_FAILED`, after
 * `startTimeoutMs`
 */
export function inStartTime<T>(work: Promise<T>, started: Started): Promise<T> {
  const {
    what,
    at,
    plugin,
    startTimeoutMs,
    code = 'MODULE_FAILED',
    remedy = 'raise startTimeoutMs',
  } = started;
  return inTime(work, startTimeoutMs, () => {
    const message =
      `${what} was not ready within ${startTimeoutMs} ms: something it awaits during import or creation did not settle. ` +
      `Move the await into a function that is called later, or ${remedy}.`;
    return new ShallotError(code, { message, at, plugin });
  });
}
