import { asThrown } from '../base/as-thrown.ts';
import { isShallotError, messageOf, ShallotError, type ErrorCode } from '../base/errors.ts';
import { hookNames, type HookName } from '../base/hook-names.ts';
import { inTime } from '../base/in-time.ts';
import { isPromise } from '../base/is-promise.ts';
import { show } from '../base/show.ts';
import type { TokenCounts } from '../contract/count-tokens.ts';
import { isChatModel, type ChatModel, type ModelName } from '../contract/model.ts';
import {
  pluginApi,
  type Plugin,
  type PluginEntry,
  type PluginPlacement,
  type PluginSetup,
  type PluginSource,
  type ReadyAgent,
} from '../contract/plugin.ts';
import { priorityFor, type Priority } from '../contract/priority.ts';
import type { Files } from '../files/files.ts';
import type { PluginTaps, Surround } from '../hooks/chains.ts';
import { hooksFor } from '../hooks/hooks-view.ts';
import type { TapRegistration } from '../hooks/live-tap.ts';
import type { Owner } from '../hooks/owner.ts';
import { asPlugin } from '../hooks/plugin-context.ts';
import type { InterceptorRegistration } from '../hooks/watcher.ts';
import type { Logger } from '../log/logger.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { DeclaredState } from '../run/live-plugins.ts';
import type { ToolRegistry } from '../run/tools/tool-registry.ts';
import { declareState } from './declare-state.ts';
import { generateFor } from './generate-for.ts';
import { PluginOwner } from './plugin-owner.ts';

/** What plugins share, and what they are set up with. */
export interface PluginSurroundings {
  readonly tools: ToolRegistry;
  readonly services: Map<string, { readonly service: unknown; readonly plugin: string }>;
  readonly files: Files;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly tokens: TokenCounts;
  /** For each `setup`, `onStart`, `onReady` and `onStop`. */
  readonly startTimeoutMs: number;
  /** The taps of the plugins that are live. */
  readonly taps: () => readonly TapRegistration[];
}

/** A plugin of an agent: its place in the list, and all that its `setup` registered. */
export class LoadedPlugin implements PluginTaps {
  readonly owner: Owner;
  readonly plugin: Plugin;
  readonly priority: Priority | undefined;
  readonly outside: readonly string[];
  readonly inside: readonly string[];
  readonly optional: boolean;
  readonly source: PluginSource;
  readonly locateOption: PluginPlacement['locateOption'];
  readonly #manifest: PluginPlacement['manifest'];
  readonly #resolveModel: PluginPlacement['resolveModel'];
  // Most plugins leave most of these empty, so all begin with one shared list.
  taps: readonly TapRegistration[] = none;
  interceptors: readonly InterceptorRegistration[] = none;
  surrounds: readonly Surround[] = none;
  states: readonly DeclaredState[] = none;
  /** Set by the check of the options. */
  options: unknown;
  readonly #around: PluginSurroundings;
  /** Made when the plugin asks for its signal. */
  #controller: AbortController | undefined;
  #undo: readonly (() => void)[] = none;
  #onStart: readonly (() => void | Promise<void>)[] = none;
  #onReady: readonly ((agent: ReadyAgent) => void | Promise<void>)[] = none;
  #onStop: readonly (() => void | Promise<void>)[] = none;
  #isSetUp = false;

  constructor(entry: PluginEntry, slot: number, around: PluginSurroundings) {
    const placement = 'use' in entry ? entry : { use: entry };
    const { definition } = placement.use;
    const id = placement.id ?? definition.name;
    this.plugin = placement.use;
    this.owner = new PluginOwner(
      id,
      slot,
      { name: definition.name, version: definition.version ?? placement.manifest?.version },
      around.log,
      placement.source?.at,
    );
    this.priority = placement.priority ?? definition.priority;
    this.outside = join(definition.outside, placement.outside);
    this.inside = join(definition.inside, placement.inside);
    this.optional = placement.optional ?? false;
    this.source = placement.source ?? fromCode;
    this.locateOption = placement.locateOption;
    this.#manifest = placement.manifest;
    this.#resolveModel = placement.resolveModel;
    this.#around = around;
  }

  get id(): string {
    return this.owner.id;
  }

  /** The range of the plugin API that it was written for. */
  get api(): string {
    const { definition, madeWith = pluginApi } = this.plugin;
    return definition.api ?? this.#manifest?.api ?? `^${madeWith}`;
  }

  priorityByHook(): Readonly<Record<HookName, number>> {
    // Every hook name is a key.
    return Object.freeze(
      Object.fromEntries(hookNames.map((hook) => [hook, priorityFor(this.priority, hook)])),
    ) as Readonly<Record<HookName, number>>;
  }

  /** The same plugin in the same place, for another agent. */
  toEntry(): PluginEntry {
    const { plugin, owner, priority, optional, source, locateOption } = this;
    const { outside = [], inside = [] } = plugin.definition;
    return {
      use: plugin,
      id: owner.id,
      priority,
      outside: this.outside.slice(outside.length),
      inside: this.inside.slice(inside.length),
      optional,
      source,
      manifest: this.#manifest,
      locateOption,
      resolveModel: this.#resolveModel,
    };
  }

  /** Runs `setup`; what it registered before a failure is undone. @throws `PLUGIN_SETUP_FAILED` or the error's own code */
  async setUp(): Promise<void> {
    try {
      await this.#inTime('setup', () => {
        const returned: unknown = this.plugin.definition.setup(this.#setupArgument());
        return isPromise(returned) ? returned.then(refuseReturned) : refuseReturned(returned);
      });
      this.#isSetUp = true;
    } catch (error) {
      this.discard();
      throw this.error('PLUGIN_SETUP_FAILED', 'setup failed', error);
    }
  }

  async start(): Promise<void> {
    for (const start of this.#onStart) await this.#guarded('onStart', start);
  }

  async ready(agent: ReadyAgent): Promise<void> {
    for (const ready of this.#onReady) {
      await this.#guarded('onReady', () => ready(agent));
    }
  }

  /** Runs every `onStop`, the last registered first, and undoes the rest. Gives what went wrong. */
  async stop(): Promise<ShallotError[]> {
    const errors: ShallotError[] = [];
    this.#controller?.abort(new Error(`${this.id} was stopped`));
    for (const stop of this.#onStop.toReversed()) {
      try {
        await this.#inTime('onStop', stop);
      } catch (error) {
        errors.push(this.error('PLUGIN_STOP_FAILED', 'onStop failed', error));
      }
    }
    this.discard();
    return errors;
  }

  /** Takes back tools, services, taps and interceptors. */
  discard(): void {
    this.#controller?.abort(new Error(`${this.id} was removed`));
    for (const undo of this.#undo.toReversed()) undo();
    this.taps = none;
    this.interceptors = none;
    this.surrounds = none;
    this.states = none;
  }

  /** An error of this plugin: an error with a code keeps it. */
  error(code: ErrorCode, what: string, thrown: unknown): ShallotError {
    const cause = asThrown(thrown);
    const own = isShallotError(cause) ? cause : undefined;
    return new ShallotError(own?.code ?? code, {
      message: `${what}: ${messageOf(cause)}`,
      cause,
      plugin: this.id,
      hook: own?.hook,
      at: own?.at ?? this.source.at,
    });
  }

  async #guarded(what: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await this.#inTime(what, work);
    } catch (error) {
      throw this.error('PLUGIN_START_FAILED', `${what} failed`, error);
    }
  }

  async #inTime(what: string, work: () => void | Promise<void>): Promise<void> {
    const { startTimeoutMs } = this.#around;
    const working = asPlugin(this.id, work)();
    if (!isPromise(working)) return;
    await inTime(working, startTimeoutMs, () => {
      return new Error(
        `it did not settle within ${startTimeoutMs} ms. Let it settle, or raise startTimeoutMs.`,
      );
    });
  }

  #setupArgument(): PluginSetup {
    const { owner } = this;
    const { tools, services, files, tokens } = this.#around;
    const around = this.#around;
    const controller = (): AbortController => (this.#controller ??= new AbortController());
    return Object.freeze({
      id: owner.id,
      options: this.options,
      hooks: hooksFor({
        plugin: owner.id,
        addTap: (tap) => {
          this.#refuseLate();
          this.taps = [...this.taps, { ...tap, fn: asPlugin(owner.id, tap.fn) }];
        },
        addInterceptor: (interceptor) => {
          this.#refuseLate();
          this.interceptors = [...this.interceptors, interceptor];
        },
        isUsed: (hook) => this.taps.concat(around.taps()).some((tap) => tap.hook === hook),
      }),
      tools: {
        add: (added, how) => this.#undoable(tools.add(added, how, owner)),
      },
      files,
      redactor: around.redactor,
      tokens,
      get log() {
        return owner.log;
      },
      get signal() {
        return controller().signal;
      },
      state: (spec) => {
        const { declared, state } = declareState(owner, spec);
        this.#refuseLate();
        this.states = [...this.states, declared];
        return state;
      },
      resolveModel: (named) => this.#modelFor(named),
      generate: (run, request, options) => generateFor(owner, run, request, options),
      aroundRun: (surround) => {
        this.#refuseLate();
        this.surrounds = [...this.surrounds, asPlugin(owner.id, surround)];
      },
      onStart: (start) => {
        this.#onStart = [...this.#onStart, start];
      },
      onReady: (ready) => {
        this.#onReady = [...this.#onReady, ready];
      },
      onStop: (stop) => {
        this.#onStop = [...this.#onStop, stop];
      },
      provide: (key, service) => {
        const other = services.get(key.name);
        if (other !== undefined) throw serviceTaken(key.name, owner.id, other.plugin);
        services.set(key.name, { service, plugin: owner.id });
        this.#undoable(() => services.delete(key.name));
      },
      // A key carries the type of the service that was provided under its name.
      use: (key) => around.services.get(key.name)?.service as never,
    } satisfies PluginSetup);
  }

  async #modelFor(named: ModelName): Promise<ChatModel> {
    if (isChatModel(named)) return named;
    if (this.#resolveModel !== undefined) return this.#resolveModel(named);
    throw new ShallotError('OPTION_INVALID', {
      message: `${show(named)} names a model, which works in a config file only. Give ${this.id} the ChatModel itself.`,
      plugin: this.id,
    });
  }

  /** All that a plugin registers goes live at once, so it must be complete when `setup` has settled. */
  #refuseLate(): void {
    if (!this.#isSetUp) return;
    throw new ShallotError('OPTION_INVALID', {
      message: `${this.id} tapped a hook, or declared state or aroundRun, after its setup had settled. Do it in setup; only tools and services may come later.`,
      plugin: this.id,
    });
  }

  #undoable(undo: () => void): () => void {
    const once = (): void => {
      if (!this.#undo.includes(once)) return;
      this.#undo = this.#undo.filter((each) => each !== once);
      undo();
    };
    this.#undo = [...this.#undo, once];
    return once;
  }
}

const none: readonly never[] = Object.freeze([]);
const fromCode: PluginSource = Object.freeze({ from: 'code' });

function join(a: readonly string[] = none, b: readonly string[] = none): readonly string[] {
  return b.length === 0 ? a : [...a, ...b];
}

/** An object of hooks is what other frameworks take; nothing would become of it here. */
function refuseReturned(returned: unknown): void {
  if (typeof returned !== 'object' || returned === null) return;
  throw new ShallotError('PLUGIN_SETUP_FAILED', {
    message: `it returned an object with ${Object.keys(returned).join(', ') || 'nothing in it'}; return nothing, and tap hooks with hooks.NAME.tap.`,
  });
}

function serviceTaken(service: string, plugin: string, other: string): ShallotError {
  return new ShallotError('SERVICE_DUPLICATE', {
    message: `${plugin} and ${other} both provide the service "${service}". Remove one of them.`,
    plugin,
  });
}
