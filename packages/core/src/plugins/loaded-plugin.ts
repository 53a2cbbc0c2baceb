import type { ErrorCode } from '../base/error-codes.ts';
import { isShallotError, ShallotError } from '../base/errors.ts';
import { hookNames, type HookName } from '../base/hook-names.ts';
import { inTime } from '../base/in-time.ts';
import { isPromise } from '../base/is-promise.ts';
import { asThrown, messageOf } from '../base/thrown.ts';
import type { ChatModel } from '../contract/model.ts';
import {
  pluginApi,
  type DeletedSession,
  type Plugin,
  type PluginEntry,
  type PluginPlacement,
  type PluginSource,
  type ReadyAgent,
} from '../contract/plugin.ts';
import { priorityFor, type Priority } from '../contract/priority.ts';
import type { SessionPlace } from '../files/session-place.ts';
import type { TapRegistration } from '../hooks/live-tap.ts';
import type { Owner } from '../hooks/owner.ts';
import { asPlugin } from '../hooks/plugin-context.ts';
import type { PlaceInList, PluginTaps, Surround } from '../hooks/plugin-taps.ts';
import type { InterceptorRegistration } from '../hooks/watcher.ts';
import type { DeclaredState } from '../run/live-plugins.ts';
import { PluginOwner } from './plugin-owner.ts';
import { Registrations } from './registrations.ts';
import { setupArgument, type PluginSurroundings } from './setup-argument.ts';

/** A plugin of an agent: its place in the list, and everything that its `setup` registered. */
export class LoadedPlugin implements PluginTaps {
  readonly owner: Owner;
  readonly plugin: Plugin;
  readonly priority: Priority | undefined;
  readonly outside: readonly string[];
  readonly inside: readonly string[];
  readonly entry: PlaceInList;
  readonly optional: boolean;
  readonly onlyChildren: boolean;
  readonly source: PluginSource;
  readonly locateOption: PluginPlacement['locateOption'];
  readonly #manifest: PluginPlacement['manifest'];
  readonly resolveModel: PluginPlacement['resolveModel'];
  readonly directory: PluginPlacement['directory'];
  readonly env: PluginPlacement['env'];
  /** Set when the options are validated. */
  options: unknown;
  readonly #around: PluginSurroundings;
  readonly #registered: Registrations;

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
    this.entry = placement;
    this.optional = placement.optional ?? false;
    this.onlyChildren = placement.onlyChildren ?? false;
    this.source = placement.source ?? fromCode;
    this.locateOption = placement.locateOption;
    this.#manifest = placement.manifest;
    this.resolveModel = placement.resolveModel;
    this.directory = placement.directory;
    this.env = placement.env;
    this.#around = around;
    this.#registered = new Registrations(id);
  }

  get id(): string {
    return this.owner.id;
  }

  get taps(): readonly TapRegistration[] {
    return this.#registered.taps;
  }

  get models(): readonly ChatModel[] {
    return this.#registered.models;
  }

  get interceptors(): readonly InterceptorRegistration[] {
    return this.#registered.interceptors;
  }

  get surrounds(): readonly Surround[] {
    return this.#registered.surrounds;
  }

  get states(): readonly DeclaredState[] {
    return this.#registered.states;
  }

  /** The plugin API range that it supports. */
  get api(): string {
    const { definition, madeWith = pluginApi } = this.plugin;
    return definition.api ?? this.#manifest?.api ?? `^${madeWith}`;
  }

  priorityByHook(): Readonly<Record<HookName, number>> {
    // The keys are exactly the hook names.
    return Object.freeze(
      Object.fromEntries(hookNames.map((hook) => [hook, priorityFor(this.priority, hook)])),
    ) as Readonly<Record<HookName, number>>;
  }

  /** Returns the list entry for the same plugin in another agent. */
  toEntry(): PluginEntry {
    const { plugin, owner, priority, optional, onlyChildren, source, locateOption } = this;
    const { outside = [], inside = [] } = plugin.definition;
    return {
      use: plugin,
      id: owner.id,
      priority,
      outside: this.outside.slice(outside.length),
      inside: this.inside.slice(inside.length),
      optional,
      onlyChildren,
      source,
      manifest: this.#manifest,
      locateOption,
      resolveModel: this.resolveModel,
      directory: this.directory,
      env: this.env,
    };
  }

  /**
   * Runs `setup`. After a failure, removes everything it registered. @throws `PLUGIN_SETUP_FAILED` or the error's own
   * code
   */
  async setUp(): Promise<void> {
    const argument = setupArgument(this, this.#registered, this.#around);
    try {
      await this.#inTime('setup', () => {
        const returned: unknown = this.plugin.definition.setup(argument);
        return isPromise(returned) ? returned.then(refuseReturned) : refuseReturned(returned);
      });
      this.#registered.complete();
    } catch (error) {
      this.discard();
      throw this.error('PLUGIN_SETUP_FAILED', 'setup failed', error);
    }
  }

  async start(): Promise<void> {
    for (const start of this.#registered.onStart) await this.#guarded('onStart', start);
  }

  async ready(agent: ReadyAgent): Promise<void> {
    for (const ready of this.#registered.onReady) {
      await this.#guarded('onReady', () => ready(agent));
    }
  }

  get places(): readonly SessionPlace[] {
    return this.#registered.places;
  }

  /** True if the plugin listens for deleted sessions. */
  get handlesDeletions(): boolean {
    return this.#registered.onDeleteSession.length > 0;
  }

  /** Notifies the plugin of a deleted session. Returns the errors. */
  async sessionDeleted(session: DeletedSession): Promise<ShallotError[]> {
    const errors: ShallotError[] = [];
    for (const hear of this.#registered.onDeleteSession) {
      try {
        await this.#inTime('onDeleteSession', () => hear(session));
      } catch (error) {
        errors.push(this.error('PLUGIN_DELETION_FAILED', 'onDeleteSession failed', error));
      }
    }
    return errors;
  }

  /** Runs every `onStop`, the last registered first, and removes all registrations. Returns the errors. */
  async stop(): Promise<ShallotError[]> {
    const errors: ShallotError[] = [];
    this.#registered.abort(`${this.id} was stopped`);
    for (const stop of this.#registered.onStop.toReversed()) {
      try {
        await this.#inTime('onStop', stop);
      } catch (error) {
        errors.push(this.error('PLUGIN_STOP_FAILED', 'onStop failed', error));
      }
    }
    this.discard();
    return errors;
  }

  /** Aborts the signal of the plugin, and removes everything that it registered for runs and sessions. */
  discard(): void {
    this.#registered.takeBack();
  }

  /** Returns an error of this plugin with the given message; the code of a `ShallotError` is kept. */
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
        `it did not settle within ${startTimeoutMs} ms. Make it faster, or raise startTimeoutMs.`,
      );
    });
  }
}

const none: readonly never[] = Object.freeze([]);
const fromCode: PluginSource = Object.freeze({ from: 'code' });

function join(a: readonly string[] = none, b: readonly string[] = none): readonly string[] {
  return [...a, ...b];
}

/**
 * Rejects a returned object of hooks, as other frameworks use: it would silently have no effect. @throws
 * `PLUGIN_SETUP_FAILED`
 */
function refuseReturned(returned: unknown): void {
  if (typeof returned !== 'object' || returned === null) return;
  throw new ShallotError('PLUGIN_SETUP_FAILED', {
    message: `it returned an object with ${Object.keys(returned).join(', ') || 'nothing in it'}; return nothing, and register hooks with hooks.NAME.tap.`,
  });
}
