import { ShallotError } from '@shallot/core';

/** Ends the command with a message about its usage, or an error, on stderr, and an exit status. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly status: number;
  /** Advice printed below the message of the cause. */
  readonly hint: string | undefined;

  constructor(status: number, failure: string | { readonly cause: unknown; readonly hint?: string }) {
    const cause =
      typeof failure === 'string' ? new ShallotError('USAGE_INVALID', { message: failure }) : failure.cause;
    super(typeof failure === 'string' ? failure : '', { cause });
    this.status = status;
    this.hint = typeof failure === 'string' ? undefined : failure.hint;
  }
}
