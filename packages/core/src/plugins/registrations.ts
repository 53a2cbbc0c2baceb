import { ShallotError } from '../base/errors.ts';
import type { ReadyAgent } from '../contract/plugin.ts';
import type { TapRegistration } from '../hooks/live-tap.ts';
import type { Surround } from '../hooks/plugin-taps.ts';
import type { InterceptorRegistration } from '../hooks/watcher.ts';
import type { DeclaredState } from '../run/live-plugins.ts';

type Work<Arguments extends unknown[] = []> = (...given: Arguments) => void | Promise<void>;

/** All that one plugin registers. Most plugins leave most of it empty, so all lists begin as one that is shared. */
export class Registrations {
  taps: readonly TapRegistration[] = none;
  interceptors: readonly InterceptorRegistration[] = none;
  surrounds: readonly Surround[] = none;
  states: readonly DeclaredState[] = none;
  onStart: readonly Work[] = none;
  onReady: readonly Work<[ReadyAgent]>[] = none;
  onStop: readonly Work[] = none;
  readonly #plugin: string;
  #undo: readonly (() => void)[] = none;
  /** Made when the plugin asks for its signal. */
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

  /** Adds what goes live at once with all else that setup registers. @throws `OPTION_INVALID` when it has settled */
  add<K extends 'taps' | 'interceptors' | 'surrounds' | 'states'>(list: K, added: this[K][number]): void {
    if (this.#isComplete) {
      throw new ShallotError('OPTION_INVALID', {
        message: `${this.#plugin} tapped a hook, or declared state or aroundRun, after its setup had finished. Do it in setup; only tools and services can be added later.`,
        plugin: this.#plugin,
      });
    }
    Object.assign(this, { [list]: [...this[list], added] });
  }

  /** Setup has settled. */
  complete(): void {
    this.#isComplete = true;
  }

  /** Notes how something is taken back. @returns what takes it back now, once */
  undoable(undo: () => void): () => void {
    const once = (): void => {
      if (!this.#undo.includes(once)) return;
      this.#undo = this.#undo.filter((each) => each !== once);
      undo();
    };
    this.#undo = [...this.#undo, once];
    return once;
  }

  /** Takes back tools, services, taps and interceptors, the last first. */
  takeBack(): void {
    this.abort(`${this.#plugin} was removed`);
    for (const undo of this.#undo.toReversed()) undo();
    this.taps = none;
    this.interceptors = none;
    this.surrounds = none;
    this.states = none;
  }
}

const none: readonly never[] = Object.freeze([]);
