import type { Agent } from '../agent.ts';
import { isShallotError, ShallotError, type SourceLocation } from '../base/errors.ts';
import { hookNames } from '../base/hook-names.ts';
import { defaultStartTimeoutMs } from '../base/in-time.ts';
import { memberAt } from '../base/is-object.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import type { PluginPlacement } from '../contract/plugin.ts';
import type { Tool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { entryName } from './check/check-config.ts';
import type { PluginConfigEntry } from './check/config.ts';
import { edgesToNobody } from './check/edges-to-nobody.ts';
import { loadConfig, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
import { storeOpener } from './load-store.ts';
import { loggedWarnings } from './logged-warnings.ts';
import { doubtsAboutFiles, filesMaker, unlockedFiles } from './making/make-files.ts';
import { workMaker } from './making/work-maker.ts';
import type { MergedConfig } from './merge-configs.ts';
import type { Mention } from './modules/locate.ts';
import { doubtsAboutModel, offlineModel } from './offline-model.ts';
import { openToAll } from './open-to-all.ts';
import type { InstalledPackage } from './packages/find-package.ts';
import { loadPermissionFiles } from './permissions/load-permission-files.ts';
import { placeRefusal } from './place-refusal.ts';
import { findConfig } from './read/find-config.ts';
import { Problems } from './read/problems.ts';
import { readConfig } from './read/read-config.ts';
import { instructionsOf, modelMaker } from './resolve-agent-options.ts';
import { importPlugins, refuseIncompatible, resolvePlugins, type PluginReports } from './resolve-plugins.ts';
import { importTools, resolveTools } from './resolve-tools.ts';
import { StartTimer } from './start-timer.ts';
import { unknownChoice } from './unknown-choice.ts';

/** The faults of a config and of everything it refers to. */
export interface Diagnosis {
  /** The absolute path of the config; undefined if none was found. */
  readonly path?: string;
  /** Errors that prevent the agent from starting, in the order of the stages. */
  readonly errors: readonly ShallotError[];
  /** Faults that do not prevent the agent from starting. */
  readonly warnings: readonly ShallotError[];
  /** The enabled entries of the config. */
  readonly plugins: readonly DiagnosedPlugin[];
  /** The names of the plugins of all entries, disabled ones included; undefined if the config cannot be read. */
  readonly listed: readonly string[] | undefined;
  readonly tools: readonly DiagnosedTool[];
}

/** A tool that the agent would have. */
export interface DiagnosedTool {
  readonly tool: Tool;
  /** The id of the plugin that provides it; undefined for a tool of the config itself. */
  readonly plugin: string | undefined;
  /** The ids of the plugins that ask about its calls. */
  readonly askedBy: readonly string[];
  /** The location of its entry in the config, or of its plugin's entry. */
  readonly at?: SourceLocation | undefined;
}

/** The progress of an entry in the list of plugins. */
export interface DiagnosedPlugin {
  /** The name as written in the config. */
  readonly name: string;
  /** The stage that failed, or `ready`. */
  readonly stage: 'resolve' | 'compatible' | 'import' | 'start' | 'ready';
  /** The package of the plugin, if it is in one. */
  readonly package?: InstalledPackage;
  /** The time that its import, `setup` and start took, in milliseconds. */
  readonly startMs?: number;
}

/**
 * Runs all stages of loading a config and continues after failures: first each plugin alone, then an agent with the
 * working ones. Opens no database, starts no run, and closes the agent again.
 */
export async function diagnose(options: LoadConfigOptions = {}): Promise<Diagnosis> {
  const problems = new Problems();
  const path = await valueOf(problems, () => options.path ?? findConfig(options.cwd ?? process.cwd()));
  if (path === undefined)
    return { errors: problems.errors, warnings: [], plugins: [], listed: undefined, tools: [] };
  const loaded = await valueOf(problems, () => loadConfig({ ...options, path }));
  const warnings: ShallotError[] = [];
  const reports = { problems, warnings };
  if (loaded === undefined) {
    const around = { env: {}, startTimeoutMs: defaultStartTimeoutMs };
    const entries = await entriesOf(path);
    const examined = await examineAll(entries ?? [], around, reports);
    const listed = entries && namesOf(entries);
    return { path, errors: problems.errors, warnings, plugins: examined.map(resultOf), listed, tools: [] };
  }
  const { merged } = loaded;
  const examined = await examineAll(merged.plugins, loaded, reports);
  const rest = await examineRest(loaded, reports);
  const tools = await startAgent(loaded, rest, examined, reports);
  warnings.push(
    ...unknownChoice(
      merged,
      tools.map(({ tool }) => tool.name),
    ),
  );
  warnings.push(
    ...edgesToNobody(
      merged.plugins,
      examined.flatMap(({ placement }) => placement ?? []),
    ),
  );
  const listed = namesOf(merged.plugins);
  return { path, errors: problems.errors, warnings, plugins: examined.map(resultOf), listed, tools };
}

function namesOf(entries: readonly Mention<PluginConfigEntry>[]): string[] {
  return entries.flatMap(({ value: { use } }) => entryName(use) ?? []);
}

/** Returns the entries of an invalid config, as far as they name plugins; undefined if it cannot be read. */
async function entriesOf(path: string): Promise<Mention<PluginConfigEntry>[] | undefined> {
  const source = await valueOf(new Problems(), () => readConfig(path, defaultStartTimeoutMs));
  const entries = memberAt(source?.value, ['plugins']);
  if (source === undefined) return undefined;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown, index) => {
    const use = typeof entry === 'string' ? entry : memberAt(entry, ['use']);
    if (typeof use !== 'string') return [];
    const { directory } = source;
    const enabled = memberAt(entry, ['enabled']) !== false;
    return [
      {
        value: { use, enabled },
        directory,
        locate: (path = [], part) => source.locate(['plugins', index, ...path], part),
      },
    ];
  });
}

/** A plugin entry and its progress through the stages. */
interface ExaminedPlugin {
  readonly name: string;
  stage: DiagnosedPlugin['stage'];
  readonly isOptional: boolean;
  readonly entry: Mention<PluginConfigEntry>;
  readonly package?: InstalledPackage | undefined;
  readonly placement?: PluginPlacement;
  readonly timer?: StartTimer;
}

function resultOf({ name, stage, package: found, timer }: ExaminedPlugin): DiagnosedPlugin {
  return { name, stage, ...(found && { package: found }), ...(timer && { startMs: timer.ms }) };
}

/** Resolves, checks and imports each entry by itself. */
async function examineAll(
  entries: readonly Mention<PluginConfigEntry>[],
  around: Pick<LoadedConfig, 'env' | 'startTimeoutMs'>,
  { problems, warnings }: PluginReports,
): Promise<ExaminedPlugin[]> {
  const examined: ExaminedPlugin[] = [];
  for (const entry of entries.filter(({ value }) => value.enabled !== false)) {
    const own = { problems: new Problems(), warnings };
    const plugin = await examine(entry, around, own);
    examined.push(plugin);
    for (const error of own.problems.errors) {
      // Failures of optional entries are warnings.
      if (plugin.isOptional) warnings.push(error);
      else problems.add(error);
    }
  }
  return examined;
}

async function examine(
  entry: Mention<PluginConfigEntry>,
  around: Pick<LoadedConfig, 'env' | 'startTimeoutMs'>,
  reports: PluginReports,
): Promise<ExaminedPlugin> {
  const name = entryName(entry.value) ?? 'plugin';
  const isOptional = entry.value.optional === true;
  const required = { ...entry, value: { ...entry.value, optional: false } };
  const [found] = await resolvePlugins([required], reports);
  if (found === undefined) return { name, isOptional, entry, stage: 'resolve' };
  const known = { name, isOptional, entry, package: found.module?.package };
  const [compatible] = await refuseIncompatible([found], reports);
  if (compatible === undefined) return { ...known, stage: 'compatible' };
  const begun = performance.now();
  const [placement] = await importPlugins([compatible], reports, around);
  if (placement === undefined) return { ...known, stage: 'import' };
  const timer = new StartTimer(performance.now() - begun);
  // Optional here, so that the agent starts without plugins that fail.
  return { ...known, stage: 'start', timer, placement: timer.timed({ ...placement, optional: true }) };
}

/** The options of an agent without its plugins and its store, and the locations of the entries of its own tools. */
interface RestOfAgent {
  readonly options: Omit<AgentOptions, 'plugins' | 'store'>;
  readonly toolPlaces: ReadonlyMap<Tool, SourceLocation>;
}

/** Examines everything else in the config; failing parts are replaced or omitted. */
async function examineRest(
  loaded: LoadedConfig,
  { problems, warnings }: PluginReports,
): Promise<RestOfAgent> {
  const { merged, startTimeoutMs } = loaded;
  const { keep: _keep, serve: _serve, acp: _acp, ...plain } = merged.plain;
  const found = await resolveTools(merged.tools, problems);
  const instructions = await valueOf(problems, () => instructionsOf(undefined, loaded));
  await valueOf(problems, () => makeStore(loaded));
  warnings.push(...((await valueOf(problems, () => doubtsAboutFiles(merged.files))) ?? []));
  warnings.push(...unlockedFiles(merged.unlock));
  warnings.push(...doubtsAboutModel(loaded.merged.model));
  for (const error of openToAll(loaded)) problems.add(error);
  const model = await valueOf(problems, async () => modelMaker(undefined, loaded)());
  const files = await valueOf(problems, async () => filesMaker(loaded)());
  const work = await valueOf(problems, async () => (await workMaker(loaded))());
  const permissionFiles = await valueOf(problems, () => loadPermissionFiles(loaded));
  const toolPlaces = await importTools(found, problems, startTimeoutMs);
  const options = {
    ...plain,
    redact: loaded.redact,
    ...(files && { files }),
    ...(permissionFiles && { permissionFiles }),
    onClose: async () => void (await Promise.all([files?.close?.(), work?.queue?.close?.()])),
    // With another model, the plugins can still be tried.
    model: model ?? offlineModel,
    tools: [...toolPlaces.keys()],
    instructions: instructions ?? '',
  };
  return { options, toolPlaces };
}

/** Creates the store, which checks its options, and closes it. A store opens its database only on first use. */
async function makeStore(loaded: LoadedConfig): Promise<void> {
  const store = await storeOpener(loaded, () => memoryStore())();
  await store.close?.();
}

/**
 * Starts an agent with all plugins that could be imported, reports its problems and warnings, and closes it. Returns
 * its tools; none if it cannot be created.
 */
async function startAgent(
  { merged }: LoadedConfig,
  { options, toolPlaces }: RestOfAgent,
  examined: readonly ExaminedPlugin[],
  { problems, warnings }: PluginReports,
): Promise<Diagnosis['tools']> {
  const plugins = examined.flatMap(({ placement }) => placement ?? []);
  const lines: string[] = [];
  const logStream = { write: (line: string) => void lines.push(line) };
  const settings = { ...options, store: memoryStore(), plugins, log: 'warn', logStream } as const;
  const agent = await valueOf(problems, async () => {
    try {
      return await createAgent(settings);
    } catch (error) {
      throw placeRefusal(error, merged);
    }
  });
  if (agent === undefined) return [];
  const running = new Set(agent.plugins.map(({ id }) => id));
  const optional = new Set(examined.flatMap((plugin) => (plugin.isOptional ? (idOf(plugin) ?? []) : [])));
  for (const plugin of examined) {
    if (running.has(idOf(plugin) ?? '')) plugin.stage = 'ready';
  }
  for (const failure of await agent.settled()) problems.add(failure);
  for (const failure of agent.warnings) {
    if (optional.has(failure.plugin ?? '')) warnings.push(failure);
    else problems.add(failure);
  }
  warnings.push(...examined.flatMap((plugin) => unusedPriorities(plugin, agent)));
  warnings.push(...doubtfulRules(agent, merged));
  const placeOf = (id: string) => examined.find((plugin) => idOf(plugin) === id)?.entry.locate(['use']);
  warnings.push(...loggedWarnings(lines, placeOf));
  for (const { id, notes = [] } of agent.plugins)
    warnings.push(
      ...notes.map((message) => new ShallotError('PLUGIN_NOTE', { message, plugin: id, at: placeOf(id) })),
    );
  const owners = new Map(
    [...running].flatMap((id) => (agent.details(id)?.tools ?? []).map((name) => [name, id])),
  );
  const tools = agent.tools.list().map((tool) => {
    const plugin = owners.get(tool.name);
    const at = plugin === undefined ? toolPlaces.get(tool) : placeOf(plugin);
    return { tool, plugin, askedBy: agent.askedBy(tool.name), at };
  });
  await valueOf(problems, () => agent.close());
  return tools;
}

/** Returns warnings for priorities that an entry sets for hooks its plugin does not tap. */
function unusedPriorities(plugin: ExaminedPlugin, agent: Agent): ShallotError[] {
  const { entry, stage } = plugin;
  const { priority } = entry.value;
  if (stage !== 'ready' || typeof priority !== 'object') return [];
  const layers = agent.layers();
  const id = idOf(plugin);
  return hookNames.flatMap((hook) => {
    if (priority[hook] === undefined || layers[hook].some(({ plugin }) => plugin === id)) return [];
    const message = `"priority.${hook}" has no effect: ${id} does nothing in ${hook}. Remove it.`;
    return [
      new ShallotError('CONFIG_UNUSED', { message, at: entry.locate(['priority', hook], 'key'), plugin: id }),
    ];
  });
}

/** Returns warnings for rules of the permissions that never decide, or that are wider than they look. */
function doubtfulRules({ permissions }: Agent, { plain, plainMentions }: MergedConfig): ShallotError[] {
  return (permissions?.doubts() ?? []).map(({ kind, list, rule, why }) => {
    const index = plain.permissions?.[list]?.indexOf(rule) ?? -1;
    const at = index === -1 ? undefined : plainMentions['permissions']?.locate([list, index]);
    return kind === 'unused'
      ? new ShallotError('PERMISSION_UNUSED', {
          message: `The rule "${rule}" in "${list}" of the permissions never decides: ${why}.`,
          at,
        })
      : new ShallotError('PERMISSION_WIDE', {
          message: `The rule "${rule}" in "${list}" of the permissions allows more than it seems to: ${why}.`,
          at,
        });
  });
}

function idOf({ placement }: ExaminedPlugin): string | undefined {
  return placement?.id ?? placement?.use.definition.name;
}

async function valueOf<T>(problems: Problems, work: () => T | Promise<T>): Promise<T | undefined> {
  const result = await problems.attempt(work);
  try {
    return result();
  } catch (error) {
    if (!isShallotError(error)) throw error;
    // `attempt` has collected the error.
    return undefined;
  }
}
