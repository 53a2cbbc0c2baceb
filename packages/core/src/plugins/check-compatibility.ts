import type { ErrorCode } from '../base/error-codes.ts';
import { formatLocation, ShallotError } from '../base/errors.ts';
import { isAnyVersion, isBelowRange, isInRange } from '../base/version-range.ts';
import { definitionFaults } from '../contract/definition-faults.ts';
import { coreNames, isPluginName, versioned } from '../contract/plugin-names.ts';
import { isPlugin, isPluginFactory, pluginApi, type CompleteDefinition } from '../contract/plugin.ts';
import { checkPriority } from '../contract/priority.ts';
import { droppedAdvice } from './dropped.ts';
import type { LoadedPlugin } from './loaded-plugin.ts';

/** Returns true if a plugin API range includes the version of this core. */
export function isApiCompatible(range: string): boolean {
  return isInRange(pluginApi, range);
}

/** Returns true if a plugin API range begins after the version of this core. */
export function isApiNewer(range: string): boolean {
  return isBelowRange(pluginApi, range);
}

const placementKeys = ['use', 'id', 'priority', 'outside', 'inside', 'optional', 'onlyChildren', 'source'];
/** Keys that only config loaders set; error messages do not suggest them. */
const loaderKeys = ['manifest', 'directory', 'env', 'resolveModel', 'locateOption'];

/** Returns the fault of an entry in a list of plugins; undefined for a valid one. */
export function checkEntry(entry: unknown, index: number): ShallotError | undefined {
  if (isPlugin(entry)) return undefined;
  const place = `Entry ${index + 1} of the plugins`;
  if (isPluginFactory(entry)) {
    return notAPlugin(
      `${place} is a plugin's factory, ${entry.definition.name}. Call it: ${entry.definition.name}({ … }).`,
    );
  }
  if (typeof entry !== 'object' || entry === null || !('use' in entry)) {
    return notAPlugin(
      `${place} is not a plugin. Create plugins with definePlugin, and call the factory it returns.`,
    );
  }
  if (!isPlugin(entry.use)) {
    return notAPlugin(
      `The "use" of entry ${index + 1} of the plugins is not a plugin. Names work only in config files; in code, import the plugin and call its factory.`,
    );
  }
  const unknown = Object.keys(entry).find((key) => ![...placementKeys, ...loaderKeys].includes(key));
  if (unknown === undefined) return undefined;
  return new ShallotError('OPTION_INVALID', {
    message: `${place} has the unknown key "${unknown}". Known: ${placementKeys.join(', ')}; in code, pass options to the plugin's factory.`,
    plugin: entry.use.definition.name,
  });
}

function notAPlugin(message: string): ShallotError {
  return new ShallotError('PLUGIN_EXPECTED', { message });
}

/** Checks each plugin by itself and together with all others. Returns the errors. */
export function checkCompatibility(
  plugins: readonly LoadedPlugin[],
  present: readonly LoadedPlugin[],
): Map<LoadedPlugin, ShallotError> {
  const errors = new Map<LoadedPlugin, ShallotError>();
  const all = [...present, ...plugins];
  for (const plugin of plugins) {
    const error = checkPlugin(plugin, all);
    if (error !== undefined) errors.set(plugin, error);
  }
  return errors;
}

function checkPlugin(plugin: LoadedPlugin, all: readonly LoadedPlugin[]): ShallotError | undefined {
  const { definition } = plugin.plugin;
  const fail = (code: ErrorCode, message: string): ShallotError => errorOf(plugin, code, message);
  // The definition may come from another copy of the core, or was never validated.
  const [fault = setupFault(definition)] = definitionFaults(definition);
  if (fault !== undefined)
    return fail('PLUGIN_INVALID', `The definition of ${plugin.id} is not valid: ${fault}.`);
  const misnamed = checkNames(plugin);
  if (misnamed !== undefined) return misnamed;
  try {
    if (plugin.priority !== undefined) checkPriority(plugin.priority, plugin.id);
  } catch (error) {
    return plugin.error('PRIORITY_RANGE', 'its place is invalid', error);
  }
  const earlier = all.slice(0, all.indexOf(plugin));
  const twin = earlier.find((other) => other.id === plugin.id);
  if (twin !== undefined) {
    return fail(
      'PLUGIN_DUPLICATE',
      `Two plugins have the id "${plugin.id}": ${sourcesOf(twin, plugin)}. Give one of them another id.`,
    );
  }
  const { api, owner } = plugin;
  if (!isApiCompatible(api)) {
    const { name } = owner;
    const newer = isApiNewer(api) ? ['@shallot/core', name] : [name, '@shallot/core'];
    return fail(
      'PLUGIN_INCOMPATIBLE',
      `${versioned(owner)} needs the plugin API "${api}"; this version of @shallot/core has ${pluginApi}. Install a newer version of ${newer[0]}, or an older one of ${newer[1]}.${droppedAdvice(api)}`,
    );
  }
  const lacking = checkRequires(plugin, all, 'is not configured');
  if (lacking !== undefined) return lacking;
  const enemy = earlier.find((other) => conflicts(plugin, other) || conflicts(other, plugin));
  if (enemy === undefined) return undefined;
  return fail('PLUGIN_CONFLICT', `${plugin.id} and ${enemy.id} conflict. Remove one of them.`);
}

/** Returns a fault if `definePlugin` has not completed the definition. */
function setupFault({ setup }: Partial<CompleteDefinition>): string | undefined {
  return setup === undefined ? 'it has no setup; create the plugin with definePlugin' : undefined;
}

function checkNames({ id, owner: { name }, source: { at } }: LoadedPlugin): ShallotError | undefined {
  const fail = (code: ErrorCode, message: string): ShallotError =>
    new ShallotError(code, { message, plugin: name, at });
  if (coreNames.has(name)) {
    return fail('PLUGIN_INVALID', `A plugin is named "${name}", which is reserved for the core. Rename it.`);
  }
  // Untyped code may pass any value.
  const given: unknown = id;
  if (!isPluginName(given)) {
    return fail(
      'OPTION_INVALID',
      `The id of an entry for ${name} is ${JSON.stringify(given)}. Use lower-case letters, digits and hyphens.`,
    );
  }
  if (!coreNames.has(given)) return undefined;
  return fail(
    'OPTION_INVALID',
    `The id of an entry for ${name} is "${given}", which is reserved for the core. Choose another one.`,
  );
}

function checkRequires(
  plugin: LoadedPlugin,
  all: readonly LoadedPlugin[],
  missing: string,
): ShallotError | undefined {
  for (const [name, range] of Object.entries(plugin.plugin.definition.requires ?? {})) {
    const found = all.find((other) => other.owner.name === name);
    if (found !== undefined && meets(found.owner.version, range)) continue;
    const state = found === undefined ? missing : `has ${found.owner.version ?? 'no version'}`;
    const way =
      found === undefined
        ? `Add ${name} to the plugins, or remove ${plugin.id}`
        : `Install a matching version of ${name}`;
    const message = `${plugin.id} requires ${name} ${range}, which ${state}. ${way}.`;
    return errorOf(plugin, 'PLUGIN_REQUIRES', message);
  }
  return undefined;
}

/** A plugin without a version satisfies only ranges that allow any version. */
function meets(version: string | undefined, range: string): boolean {
  return version === undefined ? isAnyVersion(range) : isInRange(version, range);
}

/** Returns the failures and those that follow from them: plugins that require a failed optional plugin, and so on. */
export function withDependents(
  failures: ReadonlyMap<LoadedPlugin, ShallotError>,
  plugins: readonly LoadedPlugin[],
  present: readonly LoadedPlugin[],
): Map<LoadedPlugin, ShallotError> {
  const errors = new Map(failures);
  for (let known = 0; known < errors.size;) {
    known = errors.size;
    // A failed plugin that is not optional fails the whole list anyway, so its dependents are not listed.
    const left = plugins.filter((plugin) => !plugin.optional || !errors.has(plugin));
    for (const plugin of left.filter((each) => !errors.has(each))) {
      const error = checkRequires(plugin, [...present, ...left], 'was skipped because it failed');
      if (error !== undefined) errors.set(plugin, error);
    }
  }
  return errors;
}

function sourcesOf(one: LoadedPlugin, other: LoadedPlugin): string {
  const [first, second] = [sourceOf(one), sourceOf(other)];
  return first === second ? `both from ${first}` : `from ${first} and from ${second}`;
}

function sourceOf({ source: { from, at } }: LoadedPlugin): string {
  return at === undefined ? from : `${from} (${formatLocation(at)})`;
}

function conflicts(plugin: LoadedPlugin, other: LoadedPlugin): boolean {
  return plugin.plugin.definition.conflicts?.includes(other.owner.name) === true;
}

function errorOf({ id, source: { at } }: LoadedPlugin, code: ErrorCode, message: string): ShallotError {
  return new ShallotError(code, { message, plugin: id, at });
}
