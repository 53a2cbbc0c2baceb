import type { SourceLocation } from '../base/errors.ts';
import type { Logger } from '../log/logger.ts';

/** The owner of a tap, a tool or a piece of state. */
export interface Owner {
  readonly id: string;
  /** A number that is unique within the agent, from 0; an array index for data per plugin. */
  readonly slot: number;
  readonly name: string;
  readonly version: string | undefined;
  /** The place in the config that lists the plugin, if known. */
  readonly at: SourceLocation | undefined;
  readonly log: Logger;
}
