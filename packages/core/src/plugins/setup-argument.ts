import { showValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import type { TokenCounts } from '../contract/count-tokens.ts';
import { isChatModel, type ChatModel, type ModelName } from '../contract/model.ts';
import type { PermissionFiles } from '../contract/permissions/permission-files.ts';
import type { Permissions } from '../contract/permissions/permissions.ts';
import type { PluginPlacement, PluginSetup } from '../contract/plugin.ts';
import type { AddToolOptions } from '../contract/tool.ts';
import type { Files } from '../files/files.ts';
import { protectFile } from '../files/protection/loaded-files.ts';
import { protectCommand } from '../files/protection/protect-command.ts';
import { hooksFor } from '../hooks/hooks-view.ts';
import type { TapRegistration } from '../hooks/live-tap.ts';
import type { Owner } from '../hooks/owner.ts';
import { asPlugin } from '../hooks/plugin-context.ts';
import type { Logger } from '../log/logger.ts';
import { extendedRedactor } from '../redact/extended-redactor.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { ToolRegistry } from '../run/tools/tool-registry.ts';
import { declareSessionPath } from './declare-session-path.ts';
import { declareState } from './declare-state.ts';
import { generateFor } from './generate-for.ts';
import type { Registrations } from './registrations.ts';
import type { Services } from './services.ts';
import { setSessionTitle } from './set-session-title.ts';

/** The agent's parts that plugins are set up with. */
export interface PluginSurroundings {
  readonly tools: ToolRegistry;
  readonly services: Services;
  readonly files: Files;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly tokens: TokenCounts;
  readonly permissions: Permissions | undefined;
  readonly permissionFiles: PermissionFiles | undefined;
  /** The time limit for each `setup`, `onStart`, `onReady` and `onStop`, in milliseconds. */
  readonly startTimeoutMs: number;
  /** Returns the taps of all plugins of the agent. */
  readonly taps: () => readonly TapRegistration[];
}

/** The plugin being set up. */
interface PluginInSetup {
  readonly owner: Owner;
  /** True if the agent's own requests do not offer its tools. */
  readonly onlyChildren: boolean;
  readonly options: unknown;
  readonly resolveModel: PluginPlacement['resolveModel'];
  readonly directory: PluginPlacement['directory'];
  readonly env: PluginPlacement['env'];
  readonly locateOption: PluginPlacement['locateOption'];
}

/** Options for the tools of a plugin that is for child runs alone. */
const unoffered: AddToolOptions = { offered: false };

/** Returns the argument of `setup`. Registrations go to `registered`. */
export function setupArgument(
  { owner, options, resolveModel, directory = process.cwd(), env = process.env, ...plugin }: PluginInSetup,
  registered: Registrations,
  { tools, services, files, tokens, permissions, permissionFiles, redactor, taps }: PluginSurroundings,
): PluginSetup {
  const { locateOption, onlyChildren } = plugin;
  return Object.freeze({
    id: owner.id,
    options,
    hooks: hooksFor({
      plugin: owner.id,
      addTap: (tap) => {
        registered.add('taps', { ...tap, fn: asPlugin(owner.id, tap.fn) });
      },
      addInterceptor: (interceptor) => {
        registered.add('interceptors', interceptor);
      },
      isUsed: (hook) => registered.taps.concat(taps()).some((tap) => tap.hook === hook),
    }),
    tools: {
      add: (added, how) => registered.undoable(tools.add(added, onlyChildren ? unoffered : how, owner)),
    },
    files,
    directory,
    protect: { file: protectFile, command: protectCommand },
    locateOption: locateOption && ((path) => locateOption(path, 'key')),
    env,
    redactor: extendedRedactor(redactor, () => services.redactionsBut(owner.id).map(({ text }) => text)),
    tokens,
    permissions,
    permissionFiles,
    get log() {
      return owner.log;
    },
    get signal() {
      return registered.signal;
    },
    state: (spec) => {
      const { declared, state } = declareState(owner, spec);
      registered.add('states', declared);
      return state;
    },
    sessionPath: (place) => {
      const { declared, pathOf } = declareSessionPath(owner, place);
      registered.add('places', declared);
      return pathOf;
    },
    setTitle: (run, title) => setSessionTitle(owner, run, title),
    resolveModel: async (named) => {
      const model = await modelFor(named, owner.id, resolveModel);
      registered.models = [...registered.models, model];
      return model;
    },
    generate: (run, request, given) => generateFor(owner, run, request, given),
    aroundRun: (surround) => {
      registered.add('surrounds', asPlugin(owner.id, surround));
    },
    onStart: (start) => {
      registered.onStart = [...registered.onStart, start];
    },
    onReady: (ready) => {
      registered.onReady = [...registered.onReady, ready];
    },
    onStop: (stop) => {
      registered.onStop = [...registered.onStop, stop];
    },
    onDeleteSession: (hear) => {
      registered.onDeleteSession = [...registered.onDeleteSession, hear];
    },
    provide: (key, service) => {
      registered.undoable(services.provide(key.name, service, owner.id, onlyChildren));
    },
    use: (key) => services.get(key),
  } satisfies PluginSetup);
}

async function modelFor(
  named: ModelName,
  plugin: string,
  resolveModel: PluginPlacement['resolveModel'],
): Promise<ChatModel> {
  if (isChatModel(named)) return named;
  if (resolveModel !== undefined) return resolveModel(named);
  throw new ShallotError('OPTION_INVALID', {
    message: `${showValue(named)} names a model, which works in a config file only. Give ${plugin} the ChatModel itself.`,
    plugin,
  });
}
