import type { AgentOptions, RunOptions } from './agent-options.ts';
import type { AgentParts } from './agent-parts.ts';
import { defaultCloseTimeoutMs } from './closing.ts';
import { createLogger, isLogLevel } from './create-logger.ts';
import { ShallotError } from './errors.ts';
import type { Files } from './files/files.ts';
import { memoryFiles } from './files/memory-files.ts';
import { maxTimerMs } from './hook-clock.ts';
import { defaultStartTimeoutMs } from './in-time.ts';
import { frozenCopy } from './json.ts';
import { describeValue } from './live-tap.ts';
import { LogLosses } from './log-losses.ts';
import { memoryStore } from './memory-store.ts';
import type { ModelSettings } from './model.ts';
import { nearest } from './nearest.ts';
import { PluginHost } from './plugin-host.ts';
import { createRedactor } from './redact/redactor.ts';
import { SilenceKeeper } from './silence-keeper.ts';
import { tokenCounts } from './token-counts.ts';
import { ToolRegistry } from './tool-registry.ts';

type Check = (value: unknown) => string | undefined;

const isText: Check = (value) => (typeof value === 'string' ? undefined : 'a text');
const isObject: Check = (value) => (typeof value === 'object' && value !== null ? undefined : 'an object');
const isFlag: Check = (value) => (typeof value === 'boolean' ? undefined : 'true or false');
const isList: Check = (value) => (Array.isArray(value) ? undefined : 'a list');
const isCount: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 1 ? undefined : 'a whole number from 1';
const isFunction: Check = (value) => (typeof value === 'function' ? undefined : 'a function');
const isTime: Check = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'a positive number of milliseconds, or Infinity';
const has =
  (method: string, what: string): Check =>
  (value) =>
    typeof (value as Record<string, unknown> | null)?.[method] === 'function' ? undefined : what;

const isNumber: Check = (value) => (Number.isFinite(value) ? undefined : 'a number');
const settingKeys: Record<keyof ModelSettings, Check> = {
  temperature: isNumber,
  topP: isNumber,
  topK: isNumber,
  maxOutputTokens: isCount,
  stopSequences: isList,
  presencePenalty: isNumber,
  frequencyPenalty: isNumber,
  seed: isNumber,
  headers: isObject,
  provider: isObject,
};
const isSettings: Check = (value) => {
  if (typeof value !== 'object' || value === null) return 'an object';
  for (const [key, setting] of Object.entries(value)) {
    if (!Object.hasOwn(settingKeys, key))
      return `made of ${Object.keys(settingKeys).join(', ')}, without "${key}"`;
    // A key of the object is a name of the table now.
    const wanted = setting === undefined ? undefined : settingKeys[key as keyof ModelSettings](setting);
    if (wanted !== undefined) return `an object whose "${key}" is ${wanted}`;
  }
  return undefined;
};

const agentKeys: Record<keyof AgentOptions, Check> = {
  name: isText,
  model: has('generate', 'a model: an object with a generate method'),
  instructions: isText,
  tools: isList,
  plugins: isList,
  store: has('commit', 'a store, memoryStore() for instance'),
  files: (value) =>
    typeof value === 'function' ? undefined : has('readText', 'a files service, or a function')(value),
  maxSteps: isCount,
  maxStepsAnswer: isFlag,
  toolConcurrency: isCount,
  toolErrors: (value) => (value === 'report' || value === 'throw' ? undefined : '"report" or "throw"'),
  settings: isSettings,
  logger: (value) => (isLogLevel(value) ? undefined : has('child', 'a pino logger, or a level')(value)),
  logStream: has('write', 'a stream: an object with a write method'),
  redact: isObject,
  hookTimeoutMs: isTime,
  startTimeoutMs: isTime,
  closeTimeoutMs: isTime,
  modelIdleMs: isTime,
  modelTimeoutMs: isTime,
  claimMs: (value) =>
    isTime(value) === undefined && (value as number) <= maxTimerMs
      ? undefined
      : 'a number of milliseconds up to 2^31 - 1',
  countTokens: isFunction,
  onClose: isFunction,
};

const runKeys: Record<keyof RunOptions, Check> = {
  session: (value) => (typeof value === 'string' && value !== '' ? undefined : 'a text that is not empty'),
  context: () => undefined,
  signal: has('addEventListener', 'an AbortSignal'),
  settings: isSettings,
  output: (value) => (typeof value === 'function' ? undefined : isObject(value)),
  abandon: isFlag,
};

/** @throws `INVALID_OPTION` for unknown keys and wrong values, all of them together */
export function checkAgentOptions(options: object): void {
  check('createAgent', options, agentKeys);
  if (!('model' in options) || options.model === undefined) throw invalid(['createAgent needs a model.']);
}

/** @throws `INVALID_OPTION` for unknown keys and wrong values, all of them together */
export function checkRunOptions(options: object): void {
  check('run', options, runKeys);
}

function check(what: string, options: object, keys: Readonly<Record<string, Check>>): void {
  if (isFine(options, keys)) return;
  const problems = Object.entries(options).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (!Object.hasOwn(keys, key)) {
      const known = Object.keys(keys);
      const near = nearest(key, known);
      const hint = near === undefined ? `Known are ${known.join(', ')}.` : `Did you mean "${near}"?`;
      return [`${what} does not know the option "${key}". ${hint}`];
    }
    const wanted = keys[key]?.(value);
    return wanted === undefined
      ? []
      : [`The option "${key}" of ${what} is ${describeValue(value)}; it must be ${wanted}.`];
  });
  if (problems.length > 0) throw invalid(problems);
}

/** The same check without the texts: this is done for each run. */
function isFine(options: object, keys: Readonly<Record<string, Check>>): boolean {
  for (const key in options) {
    const value: unknown = (options as Record<string, unknown>)[key];
    if (value !== undefined && (!Object.hasOwn(keys, key) || keys[key]?.(value) !== undefined)) return false;
  }
  return true;
}

function invalid(problems: readonly string[]): ShallotError {
  return new ShallotError('INVALID_OPTION', { message: problems.join('\n') });
}

/** What plugins get as their files when there are none but those of a run. */
const filesOfRuns: Files = (() => {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new ShallotError('FILE_FAILED', {
        message:
          'This agent gives each run files of its own, so there are none outside a run. Use run.files.',
      }),
    );
  return {
    list: refuse,
    stat: refuse,
    read: refuse,
    readText: refuse,
    write: refuse,
    append: refuse,
    remove: refuse,
  };
})();

/** The options of an agent with the defaults filled in, and a host without plugins. */
export function partsOf(options: AgentOptions): AgentParts {
  const redactor = createRedactor(options.redact);
  const logLosses = new LogLosses();
  const log = createLogger(options.logger ?? 'warn', {
    redactor,
    losses: logLosses,
    stream: options.logStream,
  });
  const files = options.files ?? memoryFiles();
  const { modelIdleMs = 120_000, modelTimeoutMs = 600_000 } = options;
  const tools = new ToolRegistry();
  const shared = typeof files === 'function' ? filesOfRuns : files;
  return {
    name: options.name ?? 'agent',
    model: options.model,
    instructions: options.instructions ?? '',
    settings: frozenCopy(options.settings ?? {}),
    store: options.store ?? memoryStore(),
    files: typeof files === 'function' ? files : () => files,
    log,
    logLosses,
    redactor,
    toolOwner: { id: 'tool', slot: 0, name: 'tool', version: '', at: undefined, log },
    maxSteps: options.maxSteps ?? 50,
    maxStepsAnswer: options.maxStepsAnswer ?? false,
    toolConcurrency: options.toolConcurrency ?? 8,
    toolErrors: options.toolErrors ?? 'report',
    hookTimeoutMs: options.hookTimeoutMs ?? 30_000,
    closeTimeoutMs: options.closeTimeoutMs ?? defaultCloseTimeoutMs,
    modelIdleMs,
    modelTimeoutMs,
    silence: new SilenceKeeper(modelIdleMs, modelTimeoutMs),
    claimMs: options.claimMs ?? 60_000,
    tools,
    host: new PluginHost({
      tools,
      files: shared,
      log,
      redactor,
      tokens: tokenCounts(options.countTokens),
      startTimeoutMs: options.startTimeoutMs ?? defaultStartTimeoutMs,
    }),
  };
}
