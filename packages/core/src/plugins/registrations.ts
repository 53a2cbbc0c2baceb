import { ShallotError } from '../base/errors.ts';
import type { ChatModel } from '../contract/model.ts';
import type { DeletedSession, ReadyAgent } from '../contract/plugin.ts';
import type { SessionPlace } from '../files/session-place.ts';
import type { TapRegistration } from '../hooks/live-tap.ts';
import type { Surround } from '../hooks/plugin-taps.ts';
import type { InterceptorRegistration } from '../hooks/watcher.ts';
import type { DeclaredState } from '../run/live-plugins.ts';

type Work<Arguments extends unknown[] = []> = (...given: Arguments) => void | Promise<void>;

/** The registrations of one plugin. Most lists stay empty, so all start as the same shared empty list. */
export class Registrations {
  taps: readonly TapRegistration[] = none;
  interceptors: readonly InterceptorRegistration[] = none;
  surrounds: readonly Surround[] = none;
  states: readonly DeclaredState[] = none;
  /** The models named in its options. */
  models: readonly ChatModel[] = none;
  places: readonly SessionPlace[] = none;
  onStart: readonly Work[] = none;
  onReady: readonly Work<[ReadyAgent]>[] = none;
  onStop: readonly Work[] = none;
  onDeleteSession: readonly Work<[DeletedSession]>[] = none;
  readonly #plugin: string;
  #undo: readonly (() => void)[] = none;
  /** Created on first access. */
  #controller: AbortController | undefined;
  #isComplete = false;

  constructor(plugin: string) {
    this.#plugin = plugin;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort(reason: string): void {
    this.#controller?.abort(new Error(reason));
  }

  /** Adds a registration that takes effect once setup has finished. @throws `OPTION_INVALID` after that */
  add<K extends 'taps' | 'interceptors' | 'surrounds' | 'states' | 'places'>(
    list: K,
    added: this[K][number],
  ): void {
    if (this.#isComplete) {
      throw new ShallotError('OPTION_INVALID', {
        message: `${this.#plugin} tapped a hook, or declared state, a session path or aroundRun, after its setup had finished. Do it in setup; only tools and services can be added later.`,
        plugin: this.#plugin,
      });
    }
    Object.assign(this, { [list]: [...this[list], added] });
  }

  /** Notes that setup has finished. */
  complete(): void {
    this.#isComplete = true;
  }

  /** Registers an undo function. Returns a function that calls it at once, but never a second time. */
  undoable(undo: () => void): () => void {
    const once = (): void => {
      if (!this.#undo.includes(once)) return;
      this.#undo = this.#undo.filter((each) => each !== once);
      undo();
    };
    this.#undo = [...this.#undo, once];
    return once;
  }

  /** Aborts the signal, and removes everything registered for runs and sessions. Tools and services go in reverse order. */
  takeBack(): void {
    this.abort(`${this.#plugin} was removed`);
    for (const undo of this.#undo.toReversed()) undo();
    this.taps = none;
    this.interceptors = none;
    this.surrounds = none;
    this.states = none;
    this.models = none;
    this.places = none;
    this.onDeleteSession = none;
  }
}

const none: readonly never[] = Object.freeze([]);
