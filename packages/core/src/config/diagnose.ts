import type { Agent } from '../agent.ts';
import { isShallotError, ShallotError } from '../base/errors.ts';
import { hookNames } from '../base/hook-names.ts';
import { defaultStartTimeoutMs } from '../base/in-time.ts';
import { memberAt } from '../base/is-object.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import type { ChatModel } from '../contract/model.ts';
import type { PluginPlacement } from '../contract/plugin.ts';
import type { Tool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/memory-store.ts';
import { entryName } from './check/check-config.ts';
import type { PluginConfigEntry } from './check/config.ts';
import { edgesToNobody } from './check/edges-to-nobody.ts';
import { loadConfig, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
import { storeOpener } from './load-store.ts';
import { doubtsAboutFiles, filesMaker } from './making/make-files.ts';
import { workMaker } from './making/work-maker.ts';
import type { Mention } from './modules/locate.ts';
import type { InstalledPackage } from './packages/find-package.ts';
import { findConfig } from './read/find-config.ts';
import { Problems } from './read/problems.ts';
import { readConfig } from './read/read-config.ts';
import { instructionsOf, modelMaker } from './resolve-agent-options.ts';
import { importPlugins, refuseIncompatible, resolvePlugins, type PluginReports } from './resolve-plugins.ts';
import { importTools, resolveTools } from './resolve-tools.ts';
import { StartTimer } from './start-timer.ts';

/** What is wrong with a config and with all that it names, whatever of it works. */
export interface Diagnosis {
  /** The absolute path of the config; absent if none was found. */
  readonly path?: string;
  /** What keeps the agent from starting, in the order of the stages. */
  readonly errors: readonly ShallotError[];
  /** What does not. */
  readonly warnings: readonly ShallotError[];
  /** The enabled entries of the config. */
  readonly plugins: readonly DiagnosedPlugin[];
  /** What all entries call their plugins, those included that are disabled. */
  readonly listed: readonly string[];
  /** The tools that the agent would have, and the ids of the plugins that ask about their calls. */
  readonly tools: readonly { readonly tool: Tool; readonly askedBy: readonly string[] }[];
}

/** How far an entry of the list of plugins has come. */
export interface DiagnosedPlugin {
  /** As the config calls it. */
  readonly name: string;
  /** The stage at which it failed; `ready` if at none. */
  readonly stage: 'resolve' | 'compatible' | 'import' | 'start' | 'ready';
  /** Its package, if it has one. */
  readonly package?: InstalledPackage;
  /** How long its import, its `setup` and its start have taken, as far as it came. */
  readonly startMs?: number;
}

/**
 * Takes a config through all stages of loading, past whatever fails: each plugin by itself, then the agent with those
 * that work. Opens no store and runs nothing; the agent is closed again.
 */
export async function diagnose(options: LoadConfigOptions = {}): Promise<Diagnosis> {
  const problems = new Problems();
  const path = await valueOf(problems, () => options.path ?? findConfig(options.cwd ?? process.cwd()));
  if (path === undefined)
    return { errors: problems.errors, warnings: [], plugins: [], listed: [], tools: [] };
  const loaded = await valueOf(problems, () => loadConfig({ ...options, path }));
  const warnings: ShallotError[] = [];
  const reports = { problems, warnings };
  if (loaded === undefined) {
    const around = { env: {}, startTimeoutMs: defaultStartTimeoutMs };
    const entries = await entriesOf(path);
    const patients = await examineAll(entries, around, reports);
    const listed = namesOf(entries);
    return { path, errors: problems.errors, warnings, plugins: patients.map(resultOf), listed, tools: [] };
  }
  const { merged } = loaded;
  const patients = await examineAll(merged.plugins, loaded, reports);
  const rest = await examineRest(loaded, reports);
  const tools = await startAgent(rest, patients, reports);
  warnings.push(
    ...edgesToNobody(
      merged.plugins,
      patients.flatMap(({ placement }) => placement ?? []),
    ),
  );
  const listed = namesOf(merged.plugins);
  return { path, errors: problems.errors, warnings, plugins: patients.map(resultOf), listed, tools };
}

function namesOf(entries: readonly Mention<PluginConfigEntry>[]): string[] {
  return entries.flatMap(({ value: { use } }) => entryName(use) ?? []);
}

/** The entries of a config that is not valid, as far as they name plugins. */
async function entriesOf(path: string): Promise<Mention<PluginConfigEntry>[]> {
  const source = await valueOf(new Problems(), () => readConfig(path, defaultStartTimeoutMs));
  const entries = memberAt(source?.value, ['plugins']);
  if (source === undefined || !Array.isArray(entries)) return [];
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

/** An entry on its way through the stages. */
interface Patient {
  readonly name: string;
  stage: DiagnosedPlugin['stage'];
  readonly isOptional: boolean;
  readonly entry: Mention<PluginConfigEntry>;
  readonly package?: InstalledPackage | undefined;
  readonly placement?: PluginPlacement;
  readonly timer?: StartTimer;
}

function resultOf({ name, stage, package: found, timer }: Patient): DiagnosedPlugin {
  return { name, stage, ...(found && { package: found }), ...(timer && { startMs: timer.ms }) };
}

/** Each entry by itself: found, compatible, imported. */
async function examineAll(
  entries: readonly Mention<PluginConfigEntry>[],
  around: Pick<LoadedConfig, 'env' | 'startTimeoutMs'>,
  { problems, warnings }: PluginReports,
): Promise<Patient[]> {
  const patients: Patient[] = [];
  for (const entry of entries.filter(({ value }) => value.enabled !== false)) {
    const own = { problems: new Problems(), warnings };
    const patient = await examine(entry, around, own);
    patients.push(patient);
    for (const error of own.problems.errors) {
      // What fails of an optional entry is a warning in any case.
      if (patient.isOptional) warnings.push(error);
      else problems.add(error);
    }
  }
  return patients;
}

async function examine(
  entry: Mention<PluginConfigEntry>,
  around: Pick<LoadedConfig, 'env' | 'startTimeoutMs'>,
  reports: PluginReports,
): Promise<Patient> {
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
  // The agent is to start without those that fail.
  return { ...known, stage: 'start', timer, placement: timer.timed({ ...placement, optional: true }) };
}

/** What else the config names; what of it does not work is replaced or left out. */
async function examineRest(
  loaded: LoadedConfig,
  { problems, warnings }: PluginReports,
): Promise<Omit<AgentOptions, 'plugins' | 'store'>> {
  const { merged, directory, startTimeoutMs } = loaded;
  const found = await resolveTools(merged.tools, problems);
  const instructions = await valueOf(problems, () => instructionsOf(undefined, loaded));
  await valueOf(problems, () => storeOpener(loaded, () => memoryStore()));
  warnings.push(...((await valueOf(problems, () => doubtsAboutFiles(merged.files))) ?? []));
  const model = await valueOf(problems, async () => modelMaker(undefined, loaded)());
  const files = await valueOf(problems, async () => filesMaker(merged.files, directory, startTimeoutMs)());
  const work = await valueOf(problems, async () => (await workMaker(loaded))());
  return {
    ...merged.plain,
    log: 'silent',
    redact: loaded.redact,
    ...(files && { files }),
    onClose: async () => void (await Promise.all([files?.close?.(), work?.queue?.close?.()])),
    model: model ?? noModel,
    tools: await importTools(found, problems, startTimeoutMs),
    instructions: instructions ?? '',
  };
}

const noModel: ChatModel = {
  id: 'none',
  generate: () => Promise.reject(new Error('There is no model.')),
};

/** Starts the agent with all plugins that can be imported, and closes it again. Gives its tools. */
async function startAgent(
  options: Omit<AgentOptions, 'plugins' | 'store'>,
  patients: readonly Patient[],
  { problems, warnings }: PluginReports,
): Promise<Diagnosis['tools']> {
  const plugins = patients.flatMap(({ placement }) => placement ?? []);
  const agent = await valueOf(problems, () => createAgent({ ...options, store: memoryStore(), plugins }));
  if (agent === undefined) return [];
  const running = new Set(agent.plugins.map(({ id }) => id));
  const optional = new Set(patients.flatMap((patient) => (patient.isOptional ? (idOf(patient) ?? []) : [])));
  for (const patient of patients) {
    if (running.has(idOf(patient) ?? '')) patient.stage = 'ready';
  }
  for (const failure of agent.warnings) {
    if (optional.has(failure.plugin ?? '')) warnings.push(failure);
    else problems.add(failure);
  }
  warnings.push(...patients.flatMap((patient) => unusedPriorities(patient, agent)));
  const tools = agent.tools.list().map((tool) => ({ tool, askedBy: agent.askedBy(tool.name) }));
  await valueOf(problems, () => agent.close());
  return tools;
}

/** Priorities that an entry sets for hooks that its plugin does not tap. */
function unusedPriorities(patient: Patient, agent: Agent): ShallotError[] {
  const { entry, stage } = patient;
  const { priority } = entry.value;
  if (stage !== 'ready' || typeof priority !== 'object') return [];
  const layers = agent.layers();
  const id = idOf(patient);
  return hookNames.flatMap((hook) => {
    if (priority[hook] === undefined || layers[hook].some(({ plugin }) => plugin === id)) return [];
    const message = `"priority.${hook}" has no effect: ${id} does nothing in ${hook}. Remove it.`;
    return [
      new ShallotError('CONFIG_UNUSED', { message, at: entry.locate(['priority', hook], 'key'), plugin: id }),
    ];
  });
}

function idOf({ placement }: Patient): string | undefined {
  return placement?.id ?? placement?.use.definition.name;
}

async function valueOf<T>(problems: Problems, work: () => T | Promise<T>): Promise<T | undefined> {
  const result = await problems.attempt(work);
  try {
    return result();
  } catch (error) {
    if (!isShallotError(error)) throw error;
    // It is among the problems.
    return undefined;
  }
}
