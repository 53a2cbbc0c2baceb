import { isAboveRange } from '../base/version-range.ts';
import { pluginApi } from '../contract/plugin.ts';

/** A name that a major version of the plugin API removed. */
export interface Dropped {
  /** As it appears in code: `run.stop()`. */
  readonly what: string;
  /** The replacement, as an imperative: `call run.end()`. */
  readonly instead: string;
}

/**
 * The names that each major version of the plugin API removed. A new major version must list everything that plugins
 * for the previous one may have used.
 */
const dropped: Readonly<Record<number, readonly Dropped[]>> = {};

/**
 * Returns advice for authors whose plugin API range ends before this version: all names removed since. Starts with a
 * space; empty if there is nothing to report.
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
