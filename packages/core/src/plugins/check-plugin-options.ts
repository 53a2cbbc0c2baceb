import type { StandardSchemaV1 } from '@standard-schema/spec';

import { ShallotError, type SourceLocation } from '../base/errors.ts';
import { inspectorOf, type Inspected } from '../base/schema.ts';
import { optionFaults, type OptionFault } from '../options/option-faults.ts';
import { asSentence } from '../options/option-shape.ts';
import type { LoadedPlugin } from './loaded-plugin.ts';

/** Validates a plugin's options with its schema, and sets `plugin.options` to the output. @throws `PLUGIN_OPTIONS` */
export async function checkPluginOptions(plugin: LoadedPlugin): Promise<void> {
  const { options: given, definition } = plugin.plugin;
  const { options: schema } = definition;
  if (schema === undefined) {
    refuseOptions(plugin, given);
    plugin.options = {};
    return;
  }
  const inspected = await inspect(plugin, schema, given ?? {});
  if (!inspected.ok) throw faultsError(plugin, optionFaults(inspected.issues, given, schema));
  plugin.options = inspected.value;
}

async function inspect(plugin: LoadedPlugin, schema: StandardSchemaV1, given: unknown): Promise<Inspected> {
  try {
    return await inspectorOf(schema)(given);
  } catch (error) {
    throw plugin.error('PLUGIN_OPTIONS', `the options schema of ${plugin.id} threw`, error);
  }
}

function refuseOptions(plugin: LoadedPlugin, given: unknown): void {
  const keys = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  if (given === undefined || (typeof given === 'object' && keys.length === 0)) return;
  const what = keys.length === 0 ? '' : `, but was given ${keys.join(', ')}`;
  const message = `${plugin.plugin.definition.name} takes no options${what}. Remove the options.`;
  throw optionsError(plugin, message, { path: keys.slice(0, 1), part: 'key' });
}

/**
 * Returns the error for a single fault; for several, an error that lists them and contains one error per fault, with
 * its location.
 */
function faultsError(plugin: LoadedPlugin, faults: readonly OptionFault[]): ShallotError {
  const what = `The options of ${plugin.id} are not valid:`;
  const lines = faults.map(({ path, words }) => (path.length === 0 ? words : `${path.join('.')}: ${words}`));
  const errors = faults.map((fault, index) =>
    optionsError(plugin, `${what} ${asSentence(lines[index] ?? '')}`, fault),
  );
  const [first, ...others] = errors;
  if (first !== undefined && others.length === 0) return first;
  return new ShallotError('PLUGIN_OPTIONS', {
    message: [what, ...lines].join('\n    '),
    plugin: plugin.id,
    errors,
    at: placeOf(plugin, { path: [], part: 'value' }),
  });
}

function optionsError(
  plugin: LoadedPlugin,
  message: string,
  where: Pick<OptionFault, 'path' | 'part'>,
): ShallotError {
  return new ShallotError('PLUGIN_OPTIONS', { message, plugin: plugin.id, at: placeOf(plugin, where) });
}

function placeOf(
  { locateOption, source }: LoadedPlugin,
  { path, part }: Pick<OptionFault, 'path' | 'part'>,
): SourceLocation | undefined {
  return locateOption?.(path, part) ?? source.at;
}
