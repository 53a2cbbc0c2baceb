import type { Address } from './address.ts';
import type { ErrorCode } from './error-codes.ts';
import type { HookName } from './hook-names.ts';
import { isBranded } from './is-object.ts';

/** A position in a file. Lines and columns count from 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/**
 * The result of a run that failed or was aborted. `result.ts` declares its members, because errors are independent of
 * runs.
 */
export interface FailedRun {}

export interface ShallotErrorInit {
  /** States what happened, with the value received, then what to do. */
  readonly message: string;
  readonly cause?: unknown;
  readonly plugin?: string | undefined;
  readonly hook?: HookName | undefined;
  readonly at?: SourceLocation | undefined;
  /** True if the same call may succeed later. Default: false. */
  readonly transient?: boolean;
  /** The time at which to try again, in milliseconds since 1970. */
  readonly retryAt?: number | undefined;
  /** The place of the run or call that failed. */
  readonly address?: Address | undefined;
  /** The result of the run that failed or was aborted. */
  readonly result?: FailedRun;
  /** The individual errors, when several are reported together. */
  readonly errors?: readonly ShallotError[];
}

const brand = Symbol.for('shallot.error');

/**
 * The one error class. Recognise it with `isShallotError` and by `code`, never with `instanceof`: a process may hold
 * two copies of the core.
 */
export class ShallotError extends Error {
  override readonly name = 'ShallotError';
  readonly code: ErrorCode;
  readonly plugin: string | undefined;
  readonly hook: HookName | undefined;
  readonly at: SourceLocation | undefined;
  readonly transient: boolean;
  readonly retryAt: number | undefined;
  /** The place in the tree of runs that failed; the run that fails with the error sets it. Undefined outside of runs. */
  address: Address | undefined;
  readonly result: FailedRun | undefined;
  readonly errors: readonly ShallotError[];

  constructor(code: ErrorCode, init: ShallotErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = code;
    this.plugin = init.plugin;
    this.hook = init.hook;
    this.at = init.at;
    this.transient = init.transient ?? false;
    this.retryAt = init.retryAt;
    this.address = init.address;
    this.result = init.result;
    this.errors = init.errors ?? [];
  }

  get [brand](): true {
    return true;
  }
}

/** Returns true if a value is a `ShallotError` of any copy of the core, and has this code if one is given. */
export function isShallotError(error: unknown, code?: ErrorCode): error is ShallotError {
  if (!isBranded(error, brand)) return false;
  const { code: known }: Partial<ShallotError> = error;
  return typeof known === 'string' && (code === undefined || known === code);
}

/** Returns the code of a `ShallotError`; an empty string for any other value. */
export function codeOf(error: unknown): string {
  return isShallotError(error) ? error.code : '';
}

/** Returns a single error as it is; several are combined into one whose message lists them. */
export function combineErrors(
  what: string,
  errors: readonly [ShallotError, ...ShallotError[]],
  code: ErrorCode = 'SETUP_FAILED',
): ShallotError {
  if (errors.length === 1) return errors[0];
  const list = errors.map((error) => `  ${formatError(error)}`).join('\n');
  return new ShallotError(code, {
    message: `${what}: ${errors.length} errors\n${list}`,
    errors,
    cause: errors[0],
  });
}

/** Formats an error as `code [plugin] file:line:column: message`, without the parts that are unknown. */
export function formatError(error: ShallotError): string {
  const place = error.at === undefined ? '' : ` ${formatLocation(error.at)}`;
  const plugin = error.plugin === undefined ? '' : ` [${error.plugin}]`;
  return `${error.code}${plugin}${place}: ${error.message}`;
}

/** Formats a location as `file:line:column`, without the parts that are unknown. */
export function formatLocation(at: SourceLocation): string {
  const column = at.column === undefined ? '' : `:${at.column}`;
  return at.line === undefined ? at.file : `${at.file}:${at.line}${column}`;
}
