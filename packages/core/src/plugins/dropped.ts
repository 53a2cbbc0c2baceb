import { isAboveRange } from '../base/version-range.ts';
import { pluginApi } from '../contract/plugin.ts';

/** Something that a major version of the plugin API took away. */
export interface Dropped {
  /** As authors have written it: `run.stop()`. */
  readonly what: string;
  /** What they write in its place, as an imperative: `call run.end()`. */
  readonly instead: string;
}

/**
 * What each major version of the plugin API took away, by its number. Whoever raises the major enters here all that a
 * plugin for the version before may have used.
 */
const dropped: Readonly<Record<number, readonly Dropped[]>> = {};

/**
 * What to tell the author of a plugin whose range ends before this version of the plugin API: all that was dropped since.
 * Begins with a space; empty if there is nothing to tell.
 */
export function droppedAdvice(
  range: string,
  table: typeof dropped = dropped,
  api: string = pluginApi,
): string {
  const current = Number.parseInt(api, 10);
  const lines = Object.entries(table).flatMap(([major, items]) =>
    Number(major) <= current && isAboveRange(`${major}.0.0`, range)
      ? items.map(({ what, instead }) => `\n    plugin API ${major} has no ${what}: ${instead}`)
      : [],
  );
  return lines.length === 0 ? '' : ` For its author:${lines.join('')}`;
}
