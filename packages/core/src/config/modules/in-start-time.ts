import type { ErrorCode } from '../../base/error-codes.ts';
import { ShallotError, type SourceLocation } from '../../base/errors.ts';
import { inTime } from '../../base/in-time.ts';

/** What is waited for, and where it was asked for. */
interface Started {
  readonly what: string;
  readonly at: SourceLocation;
  readonly plugin?: string | undefined;
  readonly startTimeoutMs: number;
  readonly code?: ErrorCode;
  /** The way out if it has to take so long. Default: raise startTimeoutMs. */
  readonly remedy?: string;
}

/** What importing a module, or making something of it, gives. @throws `MODULE_FAILED` when it has not settled in time */
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
