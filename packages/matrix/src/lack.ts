import type { Lacking, Witness } from './witness.ts';

/**
 * The effect on a plugin of lacking something it depends on: the agent does not start, its run fails, a warning says so once, or
 * the plugin does its work all the same. For the last two, `holds` says how that is seen.
 */
export interface Lack {
  readonly plugin: string;
  /** The part that was taken away. */
  readonly lacks: string;
  readonly outcome: `refuses ${string}` | `fails ${string}` | `warns ${string}` | 'guards';
  /** The warning is about each event of its kind, and not about the plugin. */
  readonly isPerEvent?: true;
  readonly agent: () => Lacking;
  readonly holds?: (seen: Witness) => boolean;
}
