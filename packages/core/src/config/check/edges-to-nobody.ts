import { basename, extname } from 'node:path';

import { formatLocation, ShallotError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { PluginEntry, PluginPlacement } from '../../contract/plugin.ts';
import type { Mention } from '../modules/locate.ts';
import { isPath, shortName } from '../packages/names.ts';
import { entryName } from './check-config.ts';
import type { PluginConfigEntry } from './config.ts';

/**
 * Returns warnings for `outside` and `inside` entries of a config that name no plugin, which are probably misspelt.
 * Disabled plugins, and optional ones that failed, count as present.
 */
export function edgesToNobody(
  entries: readonly Mention<PluginConfigEntry>[],
  plugins: readonly PluginEntry[],
): ShallotError[] {
  const placements = plugins.map((entry): PluginPlacement => ('use' in entry ? entry : { use: entry }));
  const known = new Set([...placements.flatMap(namesOf), ...entries.flatMap(({ value }) => namesIn(value))]);
  return entries.flatMap((entry) => {
    const { value } = entry;
    if (value.enabled === false) return [];
    const place = formatLocation(entry.locate(['use']));
    const made = placements.find(
      ({ source }) => source?.at !== undefined && formatLocation(source.at) === place,
    );
    const own = made === undefined ? namesIn(value) : namesOf(made);
    const others = [...known].filter((name) => !own.includes(name));
    return (['outside', 'inside'] as const).flatMap((key) =>
      (value[key] ?? []).flatMap((target, index) =>
        others.includes(target) ? [] : [toNobody(entry, [key, index], { target, own, others })],
      ),
    );
  });
}

function namesOf({ id, use }: PluginPlacement): string[] {
  return [...(id === undefined ? [] : [id]), use.definition.name];
}

/** Returns the names by which other entries may refer to a plugin that was not loaded. */
function namesIn({ id, use }: PluginConfigEntry): string[] {
  const name = entryName(use) ?? '';
  const short = isPath(name) ? basename(name, extname(name)) : shortName(name);
  return [...(id === undefined ? [] : [id]), short];
}

function toNobody(
  { value, locate }: Mention<PluginConfigEntry>,
  path: readonly [key: 'outside' | 'inside', index: number],
  { target, own, others }: Readonly<{ target: string; own: readonly string[]; others: readonly string[] }>,
): ShallotError {
  const what = own.includes(target) ? 'the plugin itself' : 'not a plugin of this agent';
  const like = nearest(target, others);
  const advice = like === undefined ? 'Fix it, or remove it.' : `Did you mean "${like}"?`;
  const message = `"${path[0]}" names "${target}", which is ${what}, so it has no effect. ${advice}`;
  return new ShallotError('ORDER_TARGET', { message, at: locate(path), plugin: entryName(value) });
}
