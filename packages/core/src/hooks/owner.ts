import type { SourceLocation } from '../base/errors.ts';
import type { Logger } from '../log/logger.ts';

/** Who owns a tap, a tool or a piece of state. */
export interface Owner {
  readonly id: string;
  /** A small number of its own in its agent. */
  readonly slot: number;
  readonly name: string;
  readonly version: string | undefined;
  /** Where it was listed, if that is known. */
  readonly at: SourceLocation | undefined;
  readonly log: Logger;
}
