import type { Run } from '../contract/hooks.ts';
import type { ModelRequest } from '../contract/model.ts';
import type { RunRecord, StateEntry } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import type { LiveTap } from '../hooks/live-tap.ts';
import type { Owner } from '../hooks/owner.ts';
import type { LiveSession } from '../sessions/live/live-session.ts';
import type { AgentParts } from './agent-parts.ts';
import type { TreeState } from './child-terms.ts';
import { HeldView, type ViewMaker } from './parts/held-view.ts';
import type { Lifeline } from './parts/lifeline.ts';
import { RunState } from './parts/run-state.ts';
import type { RunTerms } from './run-terms.ts';

/** A change of a request: the tap that made the new request, and the request that it received. */
export interface RequestChange {
  readonly tap: LiveTap;
  readonly given: ModelRequest;
}

/** The parts of a run through which its plugins act. */
interface PluginAccess {
  readonly session: LiveSession;
  readonly life: Lifeline;
  readonly makeView: ViewMaker;
}

/**
 * A run's knowledge of its plugins: their views, the plugins it reached, the tools they added to requests, and their
 * state.
 */
export class PluginsInRun implements TreeState {
  readonly parts: AgentParts;
  /** The state of the run at the root of the tree: this one, unless it is a child. */
  readonly root: TreeState;
  readonly #access: PluginAccess;
  /** Indexed by the plugin's slot. All hooks of a plugin share a view until one of its taps is abandoned. */
  readonly #views: (HeldView | undefined)[] = [];
  #toolPlacers: WeakMap<Tool, Owner> | undefined;
  #requestChanges: WeakMap<ModelRequest, RequestChange> | undefined;
  /** The plugins whose `beforeAgent` was reached. */
  #reached: Set<string> | undefined;
  /** Created on first write: most runs have no run state. */
  #state: RunState | undefined;

  /** `record` is the stored record of a resumed run. */
  constructor({ parts, parent }: RunTerms, access: PluginAccess, record: RunRecord | undefined) {
    this.parts = parts;
    this.root = parent?.root ?? this;
    this.#access = access;
    if (record !== undefined) this.#state = new RunState(record.state);
  }

  viewFor(owner: Owner): Run {
    return this.heldFor(owner).view;
  }

  /** Returns the view of a plugin with the tap that holds it. */
  heldFor(owner: Owner): HeldView {
    return (this.#views[owner.slot] ??= new HeldView((held) => this.#access.makeView(owner, held)));
  }

  /** Replaces a plugin's view: an abandoned tap that is still running must not act in a later hook. */
  abandon(owner: Owner, reason: unknown): void {
    this.#views[owner.slot]?.abandon(reason);
    this.#views[owner.slot] = undefined;
  }

  /** The view for code that acts for no plugin. */
  get ownView(): Run {
    return this.viewFor(this.parts.toolOwner);
  }

  /** Returns the plugin that added a tool to this run's requests; undefined if none did. */
  placerOf(tool: Tool): Owner | undefined {
    return this.#toolPlacers?.get(tool);
  }

  notePlacer(tool: Tool, owner: Owner): void {
    this.#toolPlacers ??= new WeakMap();
    this.#toolPlacers.set(tool, owner);
  }

  /** Notes which tap made a request from another one. */
  noteChange(request: ModelRequest, change: RequestChange): void {
    this.#requestChanges ??= new WeakMap();
    this.#requestChanges.set(request, change);
  }

  /**
   * Copies the noted changes of a request to another one, with its checked and committed messages: the replaced messages
   * would otherwise stay in memory as long as the request.
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
    this.#reached ??= new Set();
    this.#reached.add(plugin);
  }

  /** Returns true if the plugin's `beforeAgent` was reached. */
  wasReached(plugin: string): boolean {
    return this.#reached?.has(plugin) === true;
  }

  stateEntry(plugin: string, key: string, scope: 'session' | 'run'): StateEntry | undefined {
    return scope === 'run' ? this.#state?.get(plugin, key) : this.#access.session.stateEntry(plugin, key);
  }

  /** @throws `RUN_ENDED` */
  setState(plugin: string, key: string, scope: 'session' | 'run', entry: StateEntry): void {
    const { life, session } = this.#access;
    life.throwIfOver(plugin, `set the state "${key}"`);
    if (scope === 'session') session.setState(plugin, key, entry);
    else (this.#state ??= new RunState()).set(plugin, key, entry);
  }

  get stateRecord(): RunRecord['state'] {
    return this.#state?.toRecord() ?? noState;
  }
}

const noState: RunRecord['state'] = Object.freeze({});
