import { ShallotError } from '../base/errors.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Store } from '../contract/store.ts';
import type { Files } from '../files/files.ts';
import { forgetfulStore } from '../sessions/forgetful-store.ts';
import { edgesToNobody } from './check/edges-to-nobody.ts';
import { withMore } from './check/secret-places.ts';
import { withoutUndefined } from './check/without-undefined.ts';
import type { LoadedConfig } from './load-config.ts';
import { storeOpener, type DefaultStore } from './load-store.ts';
import { doubtsAboutFiles, filesMaker } from './making/make-files.ts';
import { workMaker } from './making/work-maker.ts';
import { inStartTime } from './modules/in-start-time.ts';
import { readInstructions } from './read-instructions.ts';
import { Problems } from './read/problems.ts';
import { resolveModel } from './resolve-model.ts';
import { importPlugins, refuseIncompatible, resolvePlugins } from './resolve-plugins.ts';
import { importTools, resolveTools } from './resolve-tools.ts';

/** What a program gives in place of what the config says; tools and plugins are added. What is given here is not looked for. */
export interface AgentOverrides<Context = unknown> extends Partial<AgentOptions<Context>> {
  /** Makes the store of a config that names none. Default: that of `createAgent`. */
  readonly defaultStore?: DefaultStore;
}

/** What an agent is made of, by a config. */
export interface ResolvedAgent<Context = unknown> {
  readonly options: AgentOptions<Context> & { readonly store: Store };
  /** The failures of optional plugins. */
  readonly warnings: readonly ShallotError[];
  /** Closes the store if it was opened here: when no agent comes of it, or with the last agent that has it. */
  readonly discard: () => Promise<void>;
  /** Closes what else was made for this agent alone. */
  readonly release: () => Promise<void>;
}

/**
 * Finds, checks and imports all that a config names, in stages that each report all their errors together: everything
 * is found; incompatible plugins are refused; modules are imported, and the model and the store made.
 */
export async function resolveAgentOptions<Context = unknown>(
  loaded: LoadedConfig,
  { defaultStore = () => forgetfulStore(), ...overrides }: AgentOverrides<Context> = {},
): Promise<ResolvedAgent<Context>> {
  const { merged, directory, path, startTimeoutMs } = loaded;
  const what = `The agent of ${path} cannot be created`;
  const warnings: ShallotError[] = [];

  const finding = new Problems();
  const plugins = await resolvePlugins(merged.plugins, { problems: finding, warnings });
  const tools = await resolveTools(merged.tools, finding);
  const makeModel = await finding.attempt(() => modelMaker(overrides.model, loaded));
  const openStore = await finding.attempt(() => {
    const { store: given } = overrides;
    return given === undefined ? storeOpener(loaded, defaultStore) : async () => given;
  });
  const instructions = await finding.attempt(() => instructionsOf(overrides.instructions, loaded));
  const doubts = await finding.attempt(() =>
    overrides.files === undefined ? doubtsAboutFiles(merged.files) : [],
  );
  const makeFiles = await finding.attempt(() =>
    overrides.files === undefined ? filesMaker(merged.files, directory, startTimeoutMs) : nothing,
  );
  const makeWork = await finding.attempt<() => Promise<AgentOptions['work']>>(() =>
    overrides.work === undefined ? workMaker(loaded) : nothing,
  );
  finding.throwIfAny(what);
  warnings.push(...doubts());

  const comparing = new Problems();
  const compatible = await refuseIncompatible(plugins, { problems: comparing, warnings });
  comparing.throwIfAny(what);

  const importing = new Problems();
  const [loadedPlugins, loadedTools, model, files, work] = await Promise.all([
    importPlugins(compatible, { problems: importing, warnings }, loaded),
    importTools(tools, importing, startTimeoutMs),
    importing.attempt(makeModel()),
    importing.attempt(makeFiles()),
    importing.attempt(makeWork()),
  ]);
  importing.throwIfAny(what);
  warnings.push(...edgesToNobody(merged.plugins, [...loadedPlugins, ...(overrides.plugins ?? [])]));

  const { log, redact: _redact, ...plain } = merged.plain;
  // Last, because it may hold a file open.
  const store = await openStore()();
  return {
    options: {
      ...plain,
      ...(log === undefined ? {} : { log }),
      ...madeParts(files(), work()),
      ...withoutUndefined(overrides),
      redact: withMore(loaded.redact, overrides.redact),
      instructions: instructions(),
      model: model(),
      store,
      tools: [...loadedTools, ...(overrides.tools ?? [])],
      plugins: [...loadedPlugins, ...(overrides.plugins ?? [])],
    },
    warnings,
    discard: async () => {
      if (overrides.store === undefined) await store.close?.();
    },
    release: async () => {
      await Promise.all([files()?.close?.(), work()?.queue?.close?.()]);
    },
  };
}

/** What is overridden is not looked for. */
const nothing = async (): Promise<undefined> => undefined;

function madeParts<Context>(
  files: Files | undefined,
  work: AgentOptions['work'] | undefined,
): Pick<AgentOptions<Context>, 'files' | 'work'> {
  return {
    ...(files && { files }),
    // Nothing tells what a config's function makes.
    ...(work && { work: work as NonNullable<AgentOptions<Context>['work']> }),
  };
}

export function modelMaker(
  given: ChatModel | undefined,
  { merged, path, env, startTimeoutMs }: LoadedConfig,
): () => Promise<ChatModel> {
  if (given !== undefined) return () => Promise.resolve(given);
  const { model } = merged;
  if (model !== undefined) {
    const make = resolveModel(model, env);
    return () => inStartTime(make(), { what: 'The model', at: model.locate(), startTimeoutMs });
  }
  throw new ShallotError('CONFIG_INVALID', {
    message:
      'The config names no model. Write `model: provider/model`, or the path of a module that exports a model.',
    at: { file: path },
  });
}

export function instructionsOf(given: string | undefined, { merged }: LoadedConfig): string {
  if (given !== undefined) return given;
  return merged.instructions === undefined ? '' : readInstructions(merged.instructions);
}
