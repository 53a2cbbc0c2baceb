import type { Lacking, Witness } from './witness.ts';

/**
 * The effect on a plugin if something that it depends on is missing: the agent does not start, its run fails, one
 * warning is reported, or the plugin still works. For the last two, `holds` checks the effect.
 */
export interface Lack {
  readonly plugin: string;
  /** The removed dependency. */
  readonly lacks: string;
  readonly outcome: `refuses ${string}` | `fails ${string}` | `warns ${string}` | 'guards';
  /** True if the warning is about each event of its kind, and not about the plugin as a whole. */
  readonly isPerEvent?: true;
  readonly agent: () => Lacking;
  readonly holds?: (seen: Witness) => boolean;
}
