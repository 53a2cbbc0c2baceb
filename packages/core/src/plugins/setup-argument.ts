import { showValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import type { TokenCounts } from '../contract/count-tokens.ts';
import { isChatModel, type ChatModel, type ModelName } from '../contract/model.ts';
import type { PluginPlacement, PluginSetup } from '../contract/plugin.ts';
import type { Files } from '../files/files.ts';
import { hooksFor } from '../hooks/hooks-view.ts';
import type { TapRegistration } from '../hooks/live-tap.ts';
import type { Owner } from '../hooks/owner.ts';
import { asPlugin } from '../hooks/plugin-context.ts';
import type { Logger } from '../log/logger.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { ToolRegistry } from '../run/tools/tool-registry.ts';
import { declareState } from './declare-state.ts';
import { generateFor } from './generate-for.ts';
import type { Registrations } from './registrations.ts';
import type { Services } from './services.ts';

/** What plugins share, and what they are set up with. */
export interface PluginSurroundings {
  readonly tools: ToolRegistry;
  readonly services: Services;
  readonly files: Files;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly tokens: TokenCounts;
  /** For each `setup`, `onStart`, `onReady` and `onStop`. */
  readonly startTimeoutMs: number;
  /** The taps of the plugins that are live. */
  readonly taps: () => readonly TapRegistration[];
}

/** The plugin that is set up. */
interface PluginInSetup {
  readonly owner: Owner;
  readonly options: unknown;
  readonly resolveModel: PluginPlacement['resolveModel'];
  readonly directory: PluginPlacement['directory'];
  readonly env: PluginPlacement['env'];
}

/** What `setup` gets of the plugin: what it registers is kept in `registered`. */
export function setupArgument(
  { owner, options, resolveModel, directory = process.cwd(), env = process.env }: PluginInSetup,
  registered: Registrations,
  { tools, services, files, tokens, redactor, taps }: PluginSurroundings,
): PluginSetup {
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
      add: (added, how) => registered.undoable(tools.add(added, how, owner)),
    },
    files,
    directory,
    env,
    redactor,
    tokens,
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
    resolveModel: (named) => modelFor(named, owner.id, resolveModel),
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
    provide: (key, service) => {
      registered.undoable(services.provide(key.name, service, owner.id));
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
