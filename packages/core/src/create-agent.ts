import { AgentRuns } from './agent-runs.ts';
import type {
  Agent,
  AgentDeleteOptions,
  AgentForkOptions,
  CloseOptions,
  CommandsOptions,
  SessionView,
} from './agent.ts';
import { atCaller, entryOf, type Entry } from './base/at-caller.ts';
import { attempt } from './base/attempt.ts';
import { ShallotError } from './base/errors.ts';
import type { HookName } from './base/hook-names.ts';
import { randomId } from './base/node-crypto.ts';
import { onAbort } from './base/on-abort.ts';
import type { AnySchema, SchemaOutput } from './base/schema.ts';
import { checkRunOptions, noOptions, partsOf, type OwnParts } from './check-options.ts';
import type { AgentOptions, ResumeOptions, RunOptions } from './contract/agent-options.ts';
import type { LayerInfo } from './contract/hooks.ts';
import type { Answers } from './contract/interrupt.ts';
import type { Input, MessageInput } from './contract/messages.ts';
import type { ChatModel } from './contract/model.ts';
import { permissionEvaluatorKey } from './contract/permissions/permission-evaluator.ts';
import type { Plugin, PluginDetails, PluginEntry, PluginInfo, PluginPlacement } from './contract/plugin.ts';
import type { RunResult } from './contract/result.ts';
import type { UserCommand } from './contract/services/user-command.ts';
import type { Tool } from './contract/tool.ts';
import { loadPrices } from './options/prices.ts';
import { optionsAfterDefaults } from './plugins/options-after-defaults.ts';
import { readyAgent } from './ready-agent.ts';
import type { Redactor } from './redact/redactor.ts';
import { refuseNode } from './refuse-node.ts';
import { refuseUnheeded } from './refuse-unheeded.ts';
import { EventStream, type Listener, type RunStream } from './run/event-stream.ts';
import { Closing } from './run/parts/closing.ts';
import type { Deletion } from './sessions/deletion/delete-session.ts';
import type { ForOwner } from './sessions/stores/for-owner.ts';
import { anonymous, isForgetful } from './sessions/stores/forgetful-store.ts';
import { viewSession } from './view-session.ts';
import { forkWith, type ForkedSession } from './workers/fork-session.ts';
import { unsendMessage, type SendOptions } from './workers/send-message.ts';
import type { AgentSubmitOptions } from './workers/submit-run.ts';
import type { WorkOptions } from './workers/work-options.ts';

/** Creates an agent and starts its plugins. After a failure nothing is left running. */
export async function createAgent<Context = unknown>(
  options: AgentOptions<Context>,
): Promise<Agent<Context>> {
  return startAgent(options, [], createAgent);
}

/** `hidden` are tools of the agent's own that are offered only when a layer adds them. */
async function startAgent<Context>(
  options: AgentOptions<Context>,
  hidden: readonly Tool[],
  entry: Entry,
): Promise<Agent<Context>> {
  checkNode();
  const { prices } = options;
  const parts = {
    ...atCaller(entry, () => partsOf(options as AgentOptions)),
    prices: prices === undefined ? undefined : await loadPrices(prices),
  };
  for (const { code, message } of parts.store.warnings ?? []) parts.log.warn({ code }, message);
  parts.tools.add(options.tools ?? []);
  parts.tools.add(hidden, { offered: false });
  await parts.host.add(options.plugins ?? [], () => readyAgent(parts));
  await refuseUnheeded(parts, options);
  return new LiveAgent<Context>(parts, options);
}

/**
 * Checks the version of Node, because an older one would fail during the first run with an obscure error. @throws
 * `NODE_UNSUPPORTED`
 */
function checkNode(): void {
  // Runtimes that are not compatible with Node have no such version.
  const version = globalThis.process?.versions?.node;
  const refusal = version === undefined ? undefined : refuseNode('@shallot/core', version);
  if (refusal !== undefined) throw new ShallotError('NODE_UNSUPPORTED', { message: refusal });
}

class LiveAgent<Context> implements Agent<Context> {
  readonly tools: Agent['tools'];
  readonly #parts: OwnParts;
  readonly #options: AgentOptions<Context>;
  readonly #runs: AgentRuns;
  /** The prefix of the ids of sessions that no caller named. */
  readonly #idPrefix: string;
  #closing: Promise<void> | undefined;
  #finishing: Promise<void> | undefined;

  constructor(parts: OwnParts, options: AgentOptions<Context>) {
    this.#parts = parts;
    this.#options = options;
    this.#runs = new AgentRuns(parts);
    this.#idPrefix = isForgetful(parts.store) ? anonymous : 'session';
    this.tools = Object.freeze({
      add: (tool, adding) => {
        this.#runs.refuseClosed();
        return parts.tools.add(tool, adding);
      },
      list: () => [...parts.tools.list],
    } satisfies Agent['tools']);
  }

  get name(): string {
    return this.#parts.name;
  }

  get id(): string | undefined {
    return this.#parts.id;
  }

  get version(): string | undefined {
    return this.#parts.version;
  }

  get description(): string | undefined {
    return this.#parts.description;
  }

  get model(): ChatModel {
    return this.#parts.model;
  }

  get redactor(): Redactor {
    return this.#parts.redactor;
  }

  get plugins(): readonly PluginInfo[] {
    return this.#parts.host.list;
  }

  get warnings(): readonly ShallotError[] {
    return [...(this.#parts.store.warnings ?? []), ...this.#parts.host.warnings];
  }

  run<S extends AnySchema>(
    input: Input,
    options: RunOptions<Context, S> = noOptions,
  ): Promise<RunResult<SchemaOutput<S>>> {
    const what = { input, entry: () => entryOf(this, 'run') };
    return this.#runs.run(options.sessionId ?? randomId(this.#idPrefix), options, undefined, what);
  }

  stream<S extends AnySchema>(
    input: Input,
    options: RunOptions<Context, S> = noOptions,
  ): RunStream<SchemaOutput<S>> {
    return this.#stream(options, (listening, listener) =>
      this.#runs.run(options.sessionId ?? randomId(this.#idPrefix), listening, listener, {
        input,
        entry: () => entryOf(this, 'stream'),
      }),
    );
  }

  async submit(
    input: Input,
    { sessionId = randomId('session'), ...options }: AgentSubmitOptions<Context> = {},
  ): Promise<{ readonly sessionId: string; readonly runId: string }> {
    const runId = await this.#runs.submit(sessionId, input, options);
    return { sessionId, runId };
  }

  resume<S extends AnySchema>(
    sessionId: string,
    answers: Answers = {},
    options: ResumeOptions<Context, S> = noOptions,
  ): Promise<RunResult<SchemaOutput<S>>> {
    const what = { answers, entry: () => entryOf(this, 'resume') };
    return this.#runs.run(sessionId, options, undefined, what);
  }

  streamResume<S extends AnySchema>(
    sessionId: string,
    answers: Answers = {},
    options: ResumeOptions<Context, S> = noOptions,
  ): RunStream<SchemaOutput<S>> {
    return this.#stream(options, (listening, listener) =>
      this.#runs.run(sessionId, listening, listener, {
        answers,
        entry: () => entryOf(this, 'streamResume'),
      }),
    );
  }

  send(sessionId: string, message: string | MessageInput, options: SendOptions = {}): Promise<string> {
    return this.#runs.send(sessionId, message, options);
  }

  unsend(sessionId: string, messageId: string, options: ForOwner = {}): Promise<boolean> {
    return unsendMessage(this.#parts.store, sessionId, messageId, options);
  }

  stop(sessionId: string, options: ForOwner = {}): Promise<boolean> {
    return this.#runs.stop(sessionId, options);
  }

  work(options: WorkOptions<Context> = {}): Promise<void> {
    return this.#runs.work({ ...this.#options.work, ...options });
  }

  async use(plugin: Plugin, placement: Omit<PluginPlacement, 'use'> = {}): Promise<void> {
    this.#runs.refuseClosed();
    const entry: PluginEntry = { ...placement, use: plugin };
    await this.#parts.host.add([entry], () => readyAgent(this.#parts));
  }

  async remove(id: string): Promise<boolean> {
    return this.#parts.host.remove(id);
  }

  async fork(changes: Partial<AgentOptions<Context>> = {}): Promise<Agent<Context>> {
    this.#runs.refuseClosed();
    // `onClose` belongs to resources made for this agent.
    const { onClose: _, ...options } = this.#options;
    const own = this.#parts.tools.all.filter(({ owner }) => owner === undefined);
    const toolsThat = (offered: boolean): Tool[] =>
      own.filter((each) => each.offered === offered).map(({ tool }) => tool);
    const start: AgentOptions<Context> = {
      ...options,
      store: this.#parts.store,
      tools: toolsThat(true),
      plugins: this.#parts.host.entries,
      ...changes,
    };
    return startAgent(start, changes.tools === undefined ? toolsThat(false) : [], entryOf(this, 'fork'));
  }

  layers(): Readonly<Record<HookName, readonly LayerInfo[]>> {
    return this.#parts.host.chains.layers;
  }

  details(id: string): PluginDetails | undefined {
    const { host, tools } = this.#parts;
    const plugin = host.find(id);
    if (plugin === undefined) return undefined;
    const own = tools.all.filter(({ owner }) => owner?.id === id);
    return {
      id,
      options: optionsAfterDefaults(plugin.plugin),
      tools: own.map(({ tool }) => tool.name),
      state: plugin.states.map(({ key, scope }) => ({ key, scope })),
      services: host.services.providedBy(id),
    };
  }

  async commands(options: CommandsOptions<Context> = {}): Promise<readonly UserCommand[]> {
    checkRunOptions(options);
    const { name: agent, files, host } = this.#parts;
    const { sessionId = randomId(this.#idPrefix), context } = options;
    const run = { id: randomId('run'), sessionId, agent, context };
    return host.services.userCommands({
      ...run,
      // A getter, because most plugins do not need it.
      get files() {
        return files(run);
      },
    });
  }

  settled(): Promise<readonly ShallotError[]> {
    return this.#parts.host.services.settled();
  }

  askedBy(tool: string): readonly string[] {
    return this.#parts.host.services.askedBy(tool);
  }

  get permissions(): Agent['permissions'] {
    return this.#parts.host.services.get(permissionEvaluatorKey);
  }

  session(sessionId: string): Promise<SessionView | undefined> {
    return viewSession(this.#parts.store, sessionId);
  }

  forkSession(from: string, { context, ...options }: AgentForkOptions<Context> = {}): Promise<ForkedSession> {
    const { name: agent, files, store } = this.#parts;
    const run = { id: randomId('fork'), sessionId: from, agent, context };
    return forkWith(store, from, options, () => files(run));
  }

  deleteSession(sessionId: string, options: AgentDeleteOptions<Context> = {}): Promise<Deletion | undefined> {
    return this.#runs.deleteSession(sessionId, options);
  }

  close({ timeoutMs = this.#parts.closeTimeoutMs, runs = 'abort' }: CloseOptions = {}): Promise<void> {
    if (this.#closing !== undefined) return this.#closing;
    if (runs === 'finish') {
      this.#finishing ??= this.#runs.finish().then(() => this.close({ timeoutMs }));
      return this.#finishing;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    // Set before the abort, whose listeners must find the agent closed.
    this.#closing = promise;
    resolve(this.#close(timeoutMs));
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(timeoutMs: number): Promise<void> {
    const closing = new Closing(timeoutMs);
    await this.#runs.close(closing);
    this.#parts.silence.stop();
    this.#parts.hookTimes.stop();
    const errors: unknown[] = [...(await this.#parts.host.close(closing))];
    await this.#runs.settle(closing);
    const { onClose } = this.#options;
    if (onClose !== undefined) {
      const last = attempt(async () => onClose());
      await closing.wait(
        'onClose',
        last.then((failure) => failure !== undefined && errors.push(failure.error)),
        1,
      );
    }
    await closing.end(this.name, errors);
  }

  #stream<S extends AnySchema>(
    options: ResumeOptions<Context, S>,
    begin: (options: ResumeOptions<Context, S>, listener: Listener) => Promise<RunResult<SchemaOutput<S>>>,
  ): RunStream<SchemaOutput<S>> {
    const left = new AbortController();
    const forget = onAbort(options.signal, (reason) => left.abort(reason));
    return new EventStream(
      (listener) => begin({ ...options, signal: left.signal }, listener).finally(forget),
      (reason) => left.abort(reason),
    );
  }
}
