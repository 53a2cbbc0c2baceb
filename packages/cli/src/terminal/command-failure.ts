/** Ends the command with a message (or the cause's) on stderr, and an exit status. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly status: number;
  /** Advice printed below the message of the cause. */
  readonly hint: string | undefined;

  constructor(status: number, failure: string | { readonly cause: unknown; readonly hint?: string }) {
    super(
      typeof failure === 'string' ? failure : '',
      typeof failure === 'string' ? undefined : { cause: failure.cause },
    );
    this.status = status;
    this.hint = typeof failure === 'string' ? undefined : failure.hint;
  }
}
