import { ShallotError } from '../base/errors.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import type { ChatModel } from '../contract/model.ts';
import type { RunIdentity } from '../contract/run-info.ts';
import type { Store } from '../contract/store.ts';
import type { Files } from '../files/files.ts';
import { forgetfulStore } from '../sessions/stores/forgetful-store.ts';
import { edgesToNobody } from './check/edges-to-nobody.ts';
import { withMore } from './check/secret-places.ts';
import { withoutUndefined } from './check/without-undefined.ts';
import type { LoadedConfig } from './load-config.ts';
import { storeOpener, type DefaultStore } from './load-store.ts';
import {
  doubtsAboutFiles,
  filesInDirectories,
  filesMaker,
  type FilesInDirectory,
} from './making/make-files.ts';
import { workMaker } from './making/work-maker.ts';
import { inStartTime } from './modules/in-start-time.ts';
import { doubtsAboutModel } from './offline-model.ts';
import { loadPermissionFiles } from './permissions/load-permission-files.ts';
import { readInstructions } from './read-instructions.ts';
import { Problems } from './read/problems.ts';
import { resolveModel } from './resolve-model.ts';
import { importPlugins, refuseIncompatible, resolvePlugins } from './resolve-plugins.ts';
import { importTools, resolveTools } from './resolve-tools.ts';

/**
 * Options of a program that override the config; tools and plugins are added. Overridden parts of the config are not
 * resolved.
 */
export interface AgentOverrides<Context = unknown> extends Partial<AgentOptions<Context>> {
  /** Creates the store for a config without one. Default: that of `createAgent`. */
  readonly defaultStore?: DefaultStore;
  /**
   * Returns the files of a run, made with `inDirectory`; undefined for the config's files. Ignored if the config's files
   * are not a directory.
   */
  readonly filesOfRun?: (run: RunIdentity<Context>, inDirectory: FilesInDirectory) => Files | undefined;
}

/** The options of an agent, resolved from a config. */
export interface ResolvedAgent<Context = unknown> {
  readonly options: AgentOptions<Context> & { readonly store: Store };
  /** The doubts about parts of the config, and the errors of optional plugins that were left out. */
  readonly warnings: readonly ShallotError[];
  /**
   * Closes the store if it was opened here. Call it if no agent is created, or when the last agent that uses the store
   * is closed.
   */
  readonly discard: () => Promise<void>;
  /** Closes everything else that was created for this agent alone. */
  readonly release: () => Promise<void>;
}

/**
 * Resolves, checks and imports everything that a config names, in stages, each of which reports all its errors
 * together: resolve all names; reject incompatible plugins; import modules, and create the model and the store.
 */
export async function resolveAgentOptions<Context = unknown>(
  loaded: LoadedConfig,
  { defaultStore = () => forgetfulStore(), filesOfRun, ...overrides }: AgentOverrides<Context> = {},
): Promise<ResolvedAgent<Context>> {
  const { merged, path, startTimeoutMs } = loaded;
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
    overrides.files === undefined ? filesMaker(loaded) : nothing,
  );
  const makeWork = await finding.attempt<() => Promise<AgentOptions['work']>>(() =>
    overrides.work === undefined ? workMaker(loaded) : nothing,
  );
  finding.throwIfAny(what);
  warnings.push(...doubts(), ...(overrides.model === undefined ? doubtsAboutModel(merged.model) : []));

  const comparing = new Problems();
  const compatible = await refuseIncompatible(plugins, { problems: comparing, warnings });
  comparing.throwIfAny(what);

  const importing = new Problems();
  const [loadedPlugins, loadedTools, model, files, work, permissionFiles] = await Promise.all([
    importPlugins(compatible, { problems: importing, warnings }, loaded),
    importTools(tools, importing, startTimeoutMs),
    importing.attempt(makeModel()),
    importing.attempt(makeFiles()),
    importing.attempt(makeWork()),
    importing.attempt(() => loadPermissionFiles(loaded)),
  ]);
  importing.throwIfAny(what);
  warnings.push(...edgesToNobody(merged.plugins, [...loadedPlugins, ...(overrides.plugins ?? [])]));

  const { log, redact: _redact, keep: _keep, serve: _serve, acp: _acp, ...plain } = merged.plain;
  // Opened last, because an open store may lock a file.
  const store = await openStore()();
  return {
    options: {
      ...plain,
      ...(log === undefined ? {} : { log }),
      permissionFiles: permissionFiles(),
      ...madeParts(filesOfRuns(files(), loaded, filesOfRun), work()),
      ...withoutUndefined(overrides),
      redact: withMore(loaded.redact, overrides.redact),
      instructions: instructions(),
      model: model(),
      store,
      tools: [...loadedTools.keys(), ...(overrides.tools ?? [])],
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

/** Resolves nothing, for parts of the config that are overridden. */
const nothing = async (): Promise<undefined> => undefined;

/** Returns the config's files, or a function that gives each run those of its directory. */
function filesOfRuns<Context>(
  files: Files | undefined,
  loaded: LoadedConfig,
  filesOf: AgentOverrides<Context>['filesOfRun'],
): AgentOptions<Context>['files'] {
  const inDirectory = filesOf === undefined ? undefined : filesInDirectories(loaded);
  if (files === undefined || filesOf === undefined || inDirectory === undefined) return files;
  return (run) => filesOf(run, inDirectory) ?? files;
}

function madeParts<Context>(
  files: AgentOptions<Context>['files'],
  work: AgentOptions['work'] | undefined,
): Pick<AgentOptions<Context>, 'files' | 'work'> {
  return {
    ...(files && { files }),
    // The return type of a config's function is unknown.
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
      'The config names no model. Write `model: provider/model`, the path of a module that exports a model, or `model: offline` to try without one.',
    at: { file: path },
  });
}

export function instructionsOf(given: string | undefined, { merged }: LoadedConfig): string {
  if (given !== undefined) return given;
  return merged.instructions === undefined ? '' : readInstructions(merged.instructions);
}
