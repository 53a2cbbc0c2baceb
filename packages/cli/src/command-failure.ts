/** Ends the command with a message (or the cause's) on stderr and an exit status. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly status: number;

  constructor(status: number, failure: string | { readonly cause: unknown }) {
    super(
      typeof failure === 'string' ? failure : '',
      typeof failure === 'string' ? undefined : { cause: failure.cause },
    );
    this.status = status;
  }
}
