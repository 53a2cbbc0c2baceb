import type { ErrorCode } from '../base/error-codes.ts';
import { combineErrors, isShallotError, ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import type { ChatModel } from '../contract/model.ts';
import type { DeletedSession, PluginEntry, PluginInfo, ReadyAgent } from '../contract/plugin.ts';
import { pluginStatusKey } from '../contract/services/plugin-status.ts';
import type { RedactionService } from '../contract/services/redaction.ts';
import type { ConfiguredPlugins } from '../contract/store.ts';
import type { SessionPlace } from '../files/session-place.ts';
import { composeChains, sortPlugins, type Chains } from '../hooks/chains.ts';
import type { TapRegistration } from '../hooks/live-tap.ts';
import type { DeclaredState, LivePlugins } from '../run/live-plugins.ts';
import type { Closing } from '../run/parts/closing.ts';
import { checkCompatibility, checkEntry, withDependents } from './check-compatibility.ts';
import { checkPluginOptions } from './check-plugin-options.ts';
import { LoadedPlugin } from './loaded-plugin.ts';
import { Services } from './services.ts';
import type { PluginSurroundings } from './setup-argument.ts';

/** The plugins of one agent: sets them up, starts and stops them, and composes the chains of their hooks. */
export class PluginHost implements LivePlugins {
  /** The chains of the current plugins. A run keeps those it began with. */
  chains: Chains = composeChains([]);
  states: readonly DeclaredState[] = [];
  places: readonly SessionPlace[] = [];
  handlesDeletions = false;
  /** The configured plugins, as they are stored with a run. */
  record: ConfiguredPlugins = recordOf([]);
  /** The errors of optional plugins that were left out. */
  readonly warnings: ShallotError[] = [];
  readonly #around: PluginSurroundings;
  /** The number of plugins ever added; slot 0 belongs to the agent's own tools. */
  #slots = 0;
  /** In list order. */
  #plugins: LoadedPlugin[] = [];
  /** Settles when all requested changes are done. Changes run one after the other. */
  #changes: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(around: Omit<PluginSurroundings, 'services' | 'taps'>) {
    const taps = (): TapRegistration[] => this.#plugins.flatMap((plugin) => plugin.taps);
    this.#around = { ...around, services: new Services(), taps };
  }

  /** The plugins in the order of execution. */
  get list(): readonly PluginInfo[] {
    return sortPlugins(this.#plugins).map((plugin) =>
      Object.freeze({
        id: plugin.id,
        name: plugin.owner.name,
        ...(plugin.owner.version === undefined ? {} : { version: plugin.owner.version }),
        priority: plugin.priorityByHook(),
        source: plugin.source,
        ...this.#statusOf(plugin.id),
      }),
    );
  }

  async sessionDeleted(session: DeletedSession): Promise<readonly ShallotError[]> {
    const errors: ShallotError[] = [];
    for (const plugin of sortPlugins(this.#plugins)) errors.push(...(await plugin.sessionDeleted(session)));
    return errors;
  }

  /** Returns the status lines and notes that a plugin provides about itself, or a line that they cannot be read. */
  #statusOf(plugin: string): Pick<PluginInfo, 'status' | 'notes'> {
    const service = this.services.get(pluginStatusKey(plugin));
    if (service === undefined) return {};
    try {
      const status = Object.freeze([...service.lines()].map(String));
      const notes = (service.notes?.() ?? []).map(String);
      return { status, ...(notes.length > 0 && { notes: Object.freeze(notes) }) };
    } catch (error) {
      return { status: [`The status of the plugin could not be read: ${messageOf(error)}`] };
    }
  }

  /** The plugins as list entries, for another agent. */
  get entries(): PluginEntry[] {
    return this.#plugins.map((plugin) => plugin.toEntry());
  }

  /** The services that plugins provide to each other. */
  get services(): Services {
    return this.#around.services;
  }

  /** The models that plugin options name. */
  get models(): readonly ChatModel[] {
    return this.#plugins.flatMap((plugin) => plugin.models);
  }

  get redactions(): readonly RedactionService[] {
    return this.services.redactions;
  }

  find(id: string): LoadedPlugin | undefined {
    return this.#plugins.find((plugin) => plugin.id === id);
  }

  has(id: string): boolean {
    return this.find(id) !== undefined;
  }

  /**
   * Adds plugins: checks them, sets them up, and starts them. Errors of one stage are reported together; after a
   * failure none of the plugins is added. An optional plugin that fails is left out with a warning. @throws
   * `AGENT_CLOSED` after `close`
   */
  add(entries: readonly PluginEntry[], agent: ReadyAgent | (() => ReadyAgent)): Promise<void> {
    return this.#inTurn(() => this.#add(entries, agent));
  }

  /**
   * Removes a plugin. Returns false if there is none with this id. @throws `PLUGIN_REQUIRES` if another plugin requires
   * it; `PLUGIN_STOP_FAILED`, although the plugin is then removed
   */
  remove(id: string): Promise<boolean> {
    return this.#inTurn(() => this.#remove(id));
  }

  /**
   * Stops all plugins, inside out. A failing or slow plugin does not stop the others. Returns the errors; later ones
   * are added to the same array.
   */
  async close(closing: Closing): Promise<readonly ShallotError[]> {
    this.#isClosed = true;
    const errors: ShallotError[] = [];
    const changes = this.#changes;
    const others = this.#plugins.length + 2;
    const isDone = await closing.wait('a plugin that was being added or removed', changes, others);
    await this.#stopAll(closing, errors);
    // Also stops a plugin whose addition finishes too late.
    if (!isDone) void changes.then(() => this.#stopAll(closing, errors));
    return errors;
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changes.then(change);
    // The caller receives the error; the next change starts anyway.
    this.#changes = changed.catch(() => {});
    return changed;
  }

  async #add(entries: readonly PluginEntry[], agent: ReadyAgent | (() => ReadyAgent)): Promise<void> {
    if (this.#isClosed) {
      throw new ShallotError('AGENT_CLOSED', {
        message: 'The agent was closed before the plugin was added. Create a new one.',
      });
    }
    const present = this.#plugins;
    const wrong = entries.flatMap((entry, index) => checkEntry(entry, index) ?? []);
    throwAll('The list of plugins is not valid', wrong);
    let added = entries.map((entry) => new LoadedPlugin(entry, (this.#slots += 1), this.#around));
    added = this.#sift(added, checkCompatibility(added, present), 'Plugins are incompatible');
    added = await this.#stage(added, 'Options of plugins are not valid', checkPluginOptions);
    this.#checkOrder([...present, ...added]);
    const order = sortPlugins([...present, ...added]).filter((plugin) => added.includes(plugin));
    const live = await this.#setUp(order);
    this.#plugins = [...present, ...added.filter((plugin) => live.includes(plugin))];
    try {
      this.#compose();
      await this.#start(live, agent);
    } catch (error) {
      for (const plugin of live) plugin.discard();
      this.#plugins = present;
      this.#compose();
      throw error;
    }
  }

  async #remove(id: string): Promise<boolean> {
    const plugin = this.#plugins.find((each) => each.id === id);
    if (plugin === undefined) return false;
    this.#refuseRequired(plugin);
    this.#plugins = this.#plugins.filter((each) => each !== plugin);
    this.#compose();
    throwAll('A plugin could not be stopped', await plugin.stop(), 'PLUGIN_STOP_FAILED');
    return true;
  }

  /** Rejects the removal of a plugin that another one requires, unless there is another plugin of the same name. */
  #refuseRequired(plugin: LoadedPlugin): void {
    const { name } = plugin.owner;
    const others = this.#plugins.filter((each) => each !== plugin);
    if (others.some((each) => each.owner.name === name)) return;
    const dependent = others.find((each) => Object.hasOwn(each.plugin.definition.requires ?? {}, name));
    if (dependent === undefined) return;
    throw new ShallotError('PLUGIN_REQUIRES', {
      message: `${plugin.id} cannot be removed: ${dependent.id} requires it. Remove ${dependent.id} first.`,
      plugin: dependent.id,
    });
  }

  async #stopAll(closing: Closing, errors: ShallotError[]): Promise<void> {
    const order = sortPlugins(this.#plugins).toReversed();
    this.#plugins = [];
    for (const [index, plugin] of order.entries()) {
      const stopping = plugin.stop().then((failures) => errors.push(...failures));
      // Reserves one share for the parts that close after the plugins.
      await closing.wait(`the plugin ${plugin.id} (onStop)`, stopping, order.length - index + 1);
    }
  }

  async #setUp(order: readonly LoadedPlugin[]): Promise<LoadedPlugin[]> {
    try {
      return await this.#stage(order, 'Plugins could not be set up', (plugin) => plugin.setUp());
    } catch (error) {
      for (const plugin of order.toReversed()) plugin.discard();
      throw error;
    }
  }

  async #start(live: readonly LoadedPlugin[], agent: ReadyAgent | (() => ReadyAgent)): Promise<void> {
    const started = new Set<LoadedPlugin>();
    const isThere = (plugin: LoadedPlugin): boolean => this.#plugins.includes(plugin);
    const attempt = async (plugin: LoadedPlugin, work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        await this.#handleFailure(plugin, toError(plugin, error), live.filter(isThere), started);
      }
    };
    for (const plugin of live) {
      if (!isThere(plugin)) continue;
      started.add(plugin);
      await attempt(plugin, () => plugin.start());
    }
    const ready = typeof agent === 'function' ? agent() : agent;
    for (const plugin of live) {
      if (isThere(plugin)) await attempt(plugin, () => plugin.ready(ready));
    }
  }

  /**
   * Removes a failed optional plugin and those that require it; if one of these is not optional, removes all new
   * plugins and throws.
   */
  async #handleFailure(
    plugin: LoadedPlugin,
    error: ShallotError,
    live: readonly LoadedPlugin[],
    started: ReadonlySet<LoadedPlugin>,
  ): Promise<void> {
    const present = this.#plugins.filter((each) => !live.includes(each));
    const failed = withDependents(new Map([[plugin, error]]), live, present);
    const fatal = fatalOf(failed);
    const stopped = new Map<LoadedPlugin, ShallotError[]>();
    for (const each of live.toReversed()) {
      if (fatal.length === 0 && !failed.has(each)) continue;
      if (started.has(each)) stopped.set(each, await each.stop());
      else each.discard();
    }
    throwAll(
      'Plugins could not be started',
      fatal.length === 0 ? [] : [...fatal, ...[...stopped.values()].flat()],
    );
    for (const [each, why] of failed) this.#leaveOut(each, why, stopped.get(each) ?? []);
  }

  /** Runs one stage for each plugin, and reports all errors together. */
  async #stage(
    plugins: readonly LoadedPlugin[],
    what: string,
    work: (plugin: LoadedPlugin) => Promise<void>,
  ): Promise<LoadedPlugin[]> {
    const errors = new Map<LoadedPlugin, ShallotError>();
    for (const plugin of plugins) {
      try {
        await work(plugin);
      } catch (error) {
        errors.set(plugin, toError(plugin, error));
      }
    }
    return this.#sift(plugins, errors, what);
  }

  /** Removes the failed optional plugins and those that require them. @throws the errors of the others */
  #sift(
    plugins: readonly LoadedPlugin[],
    errors: ReadonlyMap<LoadedPlugin, ShallotError>,
    what: string,
  ): LoadedPlugin[] {
    const failed = withDependents(errors, plugins, this.#plugins);
    throwAll(what, fatalOf(failed));
    for (const [plugin, error] of failed) {
      plugin.discard();
      this.#leaveOut(plugin, error, []);
    }
    return plugins.filter((plugin) => !failed.has(plugin));
  }

  #leaveOut(plugin: LoadedPlugin, error: ShallotError, more: readonly ShallotError[]): void {
    this.#plugins = this.#plugins.filter((each) => each !== plugin);
    this.#compose();
    for (const warning of [error, ...more]) {
      this.warnings.push(warning);
      this.#around.log.warn({ err: warning, plugin: plugin.id }, 'an optional plugin was skipped');
    }
  }

  /**
   * Checks the order of all plugins, which finds cycles even between plugins without a common hook. The error names the
   * place in the config. The order of each hook is checked when the chains are composed. @throws `ORDER_CYCLE`
   */
  #checkOrder(plugins: readonly LoadedPlugin[]): void {
    try {
      sortPlugins(plugins);
    } catch (error) {
      const named = isShallotError(error) ? plugins.find((plugin) => plugin.id === error.plugin) : undefined;
      if (named === undefined || !isShallotError(error)) throw error;
      const { code, message, plugin } = error;
      throw new ShallotError(code, { message, plugin, at: named.source.at });
    }
  }

  #compose(): void {
    this.chains = composeChains(this.#plugins);
    this.states = this.#plugins.flatMap((plugin) => plugin.states);
    this.places = this.#plugins.flatMap((plugin) => plugin.places);
    this.handlesDeletions = this.#plugins.some((plugin) => plugin.handlesDeletions);
    this.record = recordOf(this.#plugins);
  }
}

function recordOf(plugins: readonly LoadedPlugin[]): ConfiguredPlugins {
  return Object.freeze(
    Object.fromEntries(
      plugins.map(({ owner: { id, name, version } }) => [
        id,
        { name, ...(version === undefined ? {} : { version }) },
      ]),
    ),
  );
}

/** Returns the errors of plugins that are not optional. */
function fatalOf(failures: ReadonlyMap<LoadedPlugin, ShallotError>): ShallotError[] {
  return [...failures].flatMap(([plugin, error]) => (plugin.optional ? [] : [error]));
}

function toError(plugin: LoadedPlugin, error: unknown): ShallotError {
  return isShallotError(error) ? error : plugin.error('PLUGIN_SETUP_FAILED', 'it failed', error);
}

function throwAll(what: string, errors: readonly ShallotError[], code?: ErrorCode): void {
  const [first, ...rest] = errors;
  if (first !== undefined) throw combineErrors(what, [first, ...rest], code);
}
