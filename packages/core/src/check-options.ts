import { ShallotError } from './base/errors.ts';
import { isObject } from './base/is-object.ts';
import { frozenCopy } from './base/json.ts';
import type { Schema } from './base/schema.ts';
import type { AgentOptions, ResumeOptions, RunOptions } from './contract/agent-options.ts';
import type { CountTokens } from './contract/count-tokens.ts';
import type { ChatModel } from './contract/model.ts';
import type { PermissionFiles } from './contract/permissions/permission-files.ts';
import type { RunIdentity } from './contract/run-info.ts';
import type { RunAgent, Store } from './contract/store.ts';
import type { Files } from './files/files.ts';
import { memoryFiles } from './files/memory-files.ts';
import { asPlugin, nobody } from './hooks/plugin-context.ts';
import { createLogger } from './log/create-logger.ts';
import { LogLosses } from './log/log-losses.ts';
import type { Logger, LogStream } from './log/logger.ts';
import { readOptions } from './options/option-shape.ts';
import type { AnyOption, Option } from './options/option.ts';
import { option } from './options/options-schema.ts';
import {
  logLevel,
  modelSettings,
  byOption,
  plainOptions,
  notesOptions,
  toolChoice,
} from './options/plain-options.ts';
import { toProviderTools } from './options/provider-tools.ts';
import { PluginHost } from './plugins/plugin-host.ts';
import { extendedRedactor } from './redact/extended-redactor.ts';
import { createRedactor, type RedactorOptions } from './redact/redactor.ts';
import type { AgentParts } from './run/agent-parts.ts';
import { askModel } from './run/model/model-call.ts';
import { ModelRegistry } from './run/model/model-registry.ts';
import { SilenceKeeper } from './run/model/silence-keeper.ts';
import { HookTimes } from './run/parts/hook-clock.ts';
import { ToolRegistry } from './run/tools/tool-registry.ts';
import { SessionCache, sharedSessions } from './sessions/live/session-cache.ts';
import { forgetfulStore } from './sessions/stores/forgetful-store.ts';
import { tokenCounts } from './tokens/token-counts.ts';

// Users implement these interfaces themselves, so only a method is checked.
const having = <T extends object>(method: string, what: string): Option<T> =>
  option.code(
    what,
    (value): value is T => isObject(value) && typeof Reflect.get(value, method) === 'function',
  );
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isSchema = (value: unknown): value is Schema => typeof value === 'function' || isObject(value);

const agentOptions = {
  ...plainOptions,
  model: having<ChatModel>('generate', 'a model: an object with a generate method').required(),
  instructions: option.text(),
  tools: option.code('a list', isList),
  plugins: option.code('a list', isList),
  store: having<Store>('commit', 'a store, such as memoryStore()'),
  files: option.either(
    having<Files>('readText', 'a files service'),
    option.callback<(run: RunIdentity) => Files>(),
  ),
  log: option.either(logLevel, having<Logger>('child', 'a pino logger')),
  permissionFiles: option.code('an object', (value): value is PermissionFiles => isObject(value)),
  logStream: having<LogStream>('write', 'a stream: an object with a write method'),
  redact: option.code('an object', (value): value is RedactorOptions => isObject(value)),
  countTokens: option.callback<CountTokens>(),
  work: option.code('an object', (value): value is NonNullable<AgentOptions['work']> => isObject(value)),
  onClose: option.callback(),
} satisfies Record<keyof AgentOptions, AnyOption>;

const runOptions = {
  sessionId: option.text('a non-empty string', /[^]/),
  context: option.anything(),
  signal: having<AbortSignal>('addEventListener', 'an AbortSignal'),
  settings: modelSettings,
  toolChoice,
  output: option.code('a schema', isSchema),
  abandon: option.boolean(),
  ...notesOptions,
  takeOver: option.boolean(),
  by: byOption,
} satisfies Record<keyof RunOptions | keyof ResumeOptions, AnyOption>;

/** The options of a run that was given none; they need no validation. */
export const noOptions: RunOptions<never, never> = Object.freeze({});

/** @throws `OPTION_INVALID` with all unknown keys and invalid values */
export function checkRunOptions(options: object): void {
  readOptions('run', runOptions, options);
}

/** The files of plugins if the agent has separate files per run: every access fails. */
const filesOfRuns: Files = (() => {
  const refusal = (): ShallotError =>
    new ShallotError('FILE_FAILED', {
      message: 'This agent has separate files for each run, so it has none outside a run. Use run.files.',
    });
  const refuse = (): Promise<never> => Promise.reject(refusal());
  return {
    get root(): never {
      throw refusal();
    },
    list: refuse,
    stat: refuse,
    read: refuse,
    readText: refuse,
    write: refuse,
    append: refuse,
    remove: refuse,
  };
})();

/**
 * Returns the agent as its runs record it; undefined if it was given neither id nor name, because agents share the
 * default name.
 */
function identityOf({ id, name, version }: AgentOptions): RunAgent | undefined {
  const own = id ?? name;
  if (own === undefined) return undefined;
  return Object.freeze({ id: own, ...(version === undefined ? {} : { version }) });
}

/** The parts of an agent, with the full plugin host. */
export interface OwnParts extends AgentParts {
  readonly host: PluginHost;
}

/**
 * Returns the options of an agent with defaults, and a plugin host without plugins. @throws `OPTION_INVALID` with all
 * unknown keys and invalid values
 */
export function partsOf(options: AgentOptions): OwnParts {
  const {
    instructions = '',
    store = forgetfulStore(),
    files = memoryFiles(),
    log: logger = 'warn',
    logStream: stream,
    redact,
    countTokens,
    startTimeoutMs,
    sessionCacheBytes,
    permissions,
    permissionFiles,
    // These options are used by the caller.
    tools: _tools,
    prices: _prices,
    plugins: _plugins,
    work: _work,
    onClose: _onClose,
    ...others
  } = readOptions('createAgent', agentOptions, options);
  const { toolChoice: chosen, ...settings } = options.settings ?? {};
  const providerTools = toProviderTools(options.providerTools ?? []);
  const ownRedactor = createRedactor(redact);
  const redactor = extendedRedactor(ownRedactor, () => host.redactions.map(({ text }) => text));
  const logLosses = new LogLosses();
  const log = createLogger(logger, { redactor, losses: logLosses, stream });
  const tools = new ToolRegistry(
    (tool, what) => log.warn({ code: 'TOOL_UNCHECKED', tool }, what),
    providerTools,
  );
  const shared = typeof files === 'function' ? filesOfRuns : files;
  const tokens = tokenCounts(countTokens, others.model);
  const host: PluginHost = new PluginHost({
    tools,
    files: shared,
    log,
    redactor: ownRedactor,
    tokens,
    permissions: frozenCopy(permissions),
    permissionFiles,
    startTimeoutMs,
  });
  return {
    ...others,
    // The caller loads them, because loading is asynchronous.
    prices: undefined,
    identity: identityOf(options),
    instructions,
    modelTerms: { settings: frozenCopy(settings), toolChoice: chosen, output: undefined },
    providerTools,
    store,
    files: typeof files === 'function' ? files : () => files,
    tokens,
    log,
    logLosses,
    redactor,
    toolOwner: { id: 'tool', slot: 0, name: 'tool', version: '', at: undefined, log },
    hookTimes: new HookTimes(others.hookTimeoutMs),
    // Uncaught errors of a model must not be attributed to the plugin of a layer around it.
    askModel: asPlugin(nobody, askModel),
    silence: new SilenceKeeper(others.modelIdleMs, others.modelTimeoutMs),
    tools,
    rootTools: tools,
    models: new ModelRegistry(others.model, host),
    sessionCache: sessionCacheBytes === undefined ? sharedSessions : new SessionCache(sessionCacheBytes),
    host,
    onion: host,
  };
}
