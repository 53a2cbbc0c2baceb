import { ShallotError, type ErrorCode, type SourceLocation } from '../errors.ts';
import { inTime } from '../in-time.ts';

/** What is waited for, and where it was asked for. */
interface Started {
  readonly what: string;
  readonly at: SourceLocation;
  readonly plugin?: string | undefined;
  readonly startTimeoutMs: number;
  readonly code?: ErrorCode;
}

/** What importing a module, or making something of it, gives. @throws `MODULE_FAILED` when it has not settled in time */
export function inStartTime<T>(work: Promise<T>, started: Started): Promise<T> {
  const { what, at, plugin, startTimeoutMs, code = 'MODULE_FAILED' } = started;
  return inTime(work, startTimeoutMs, () => {
    const message =
      `${what} was not ready within ${startTimeoutMs} ms: what is awaited when it is imported or made did not settle. ` +
      `Move that into a function that is called later, or raise startTimeoutMs.`;
    return new ShallotError(code, { message, at, ...(plugin === undefined ? {} : { plugin }) });
  });
}
