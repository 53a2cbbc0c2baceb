import type { Run } from '../contract/hooks.ts';
import type { ModelRequest } from '../contract/model.ts';
import type { RunRecord, StateEntry } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import type { LiveTap } from '../hooks/live-tap.ts';
import type { Owner } from '../hooks/owner.ts';
import type { AgentParts } from './agent-parts.ts';
import { RunState } from './parts/run-state.ts';

/** A plugin's view of a run; one object for all its hooks, until one of its taps is abandoned. */
export interface PluginView extends Run {
  /** Sets the current tap, whose key is part of interrupt ids. */
  enter(tap: LiveTap): void;
  /** Refuses everything from now on that changes the run: the run no longer waits for the tap. */
  abandon(reason: unknown): void;
}

/** A tap that made a request, and the request that it was given. */
export interface RequestChange {
  readonly tap: LiveTap;
  readonly given: ModelRequest;
}

/**
 * A run's knowledge of its plugins: their views, the plugins it reached, the tools they added to requests, and their
 * run state.
 */
export class PluginsInRun {
  readonly parts: AgentParts;
  readonly #makeView: (owner: Owner) => PluginView;
  /** Indexed by the slot of the plugin. */
  readonly #views: (PluginView | undefined)[] = [];
  #toolPlacers: WeakMap<Tool, Owner> | undefined;
  #requestChanges: WeakMap<ModelRequest, RequestChange> | undefined;
  /** The plugins whose `beforeAgent` was reached; `all` once the hook is done. */
  #reached: Set<string> | 'all' | undefined;
  /** Created on first write: most runs have no run state. */
  #state: RunState | undefined;

  /** `record` is the stored record of a resumed run. */
  constructor(parts: AgentParts, makeView: (owner: Owner) => PluginView, record: RunRecord | undefined) {
    this.parts = parts;
    this.#makeView = makeView;
    if (record !== undefined) {
      this.#state = new RunState(record.state);
      if (record.position.at !== 'input') this.#reached = 'all';
    }
  }

  viewFor(owner: Owner): PluginView {
    return (this.#views[owner.slot] ??= this.#makeView(owner));
  }

  /** Gives a plugin another view: a tap of it that is still running must not act in a later hook. */
  abandon(owner: Owner, reason: unknown): void {
    this.#views[owner.slot]?.abandon(reason);
    this.#views[owner.slot] = undefined;
  }

  /** The view for code that acts for no plugin. */
  get ownView(): PluginView {
    return this.viewFor(this.parts.toolOwner);
  }

  /** Returns the plugin that added a tool to this run's requests. */
  placerOf(tool: Tool): Owner | undefined {
    return this.#toolPlacers?.get(tool);
  }

  notePlacer(tool: Tool, owner: Owner): void {
    this.#toolPlacers ??= new WeakMap();
    this.#toolPlacers.set(tool, owner);
  }

  /** Notes which tap made a request out of another. */
  noteChange(request: ModelRequest, change: RequestChange): void {
    this.#requestChanges ??= new WeakMap();
    this.#requestChanges.set(request, change);
  }

  /**
   * Notes the changes of one request as those of another, whose messages were checked and committed. Only these are kept: the
   * replaced ones would otherwise stay in memory as long as the request.
   */
  copyChanges(from: ModelRequest, to: ModelRequest): void {
    const change = this.changeOf(from);
    if (change === undefined) return;
    const given = Object.freeze({ ...change.given, messages: to.messages });
    this.copyChanges(change.given, given);
    this.noteChange(to, { tap: change.tap, given });
  }

  changeOf(request: ModelRequest): RequestChange | undefined {
    return this.#requestChanges?.get(request);
  }

  /** Notes that a plugin's `beforeAgent` was entered, so that its `afterAgent` runs. */
  reach(plugin: string): void {
    if (this.#reached === 'all') return;
    this.#reached ??= new Set();
    this.#reached.add(plugin);
  }

  reachAll(): void {
    this.#reached = 'all';
  }

  /** Returns true if the plugin's `beforeAgent` was reached. */
  wasReached(plugin: string): boolean {
    return this.#reached === 'all' || this.#reached?.has(plugin) === true;
  }

  state(plugin: string, key: string): StateEntry | undefined {
    return this.#state?.get(plugin, key);
  }

  setState(plugin: string, key: string, entry: StateEntry): void {
    this.#state ??= new RunState();
    this.#state.set(plugin, key, entry);
  }

  get stateRecord(): RunRecord['state'] {
    return this.#state?.toRecord() ?? noState;
  }
}

const noState: RunRecord['state'] = Object.freeze({});
