import { isPromise } from '../base/is-promise.ts';
import type { Wait } from '../base/wait.ts';
import type { Frame } from './frame.ts';

/** A stretch of time inside a hook that is told apart from the rest: a gate, a function of `once`, a question. */
export interface Stretch {
  readonly plugin: string;
  /** The entry of a layer or gate that it belongs to; undefined for all that the plugin does in the run. */
  readonly scope?: { readonly over: boolean } | undefined;
  /** In words; undefined when it is the time of a model or of a person, and not the plugin's. */
  readonly what?: string;
  /** Whether it waits for what is further in. */
  readonly isPassed?: boolean;
  readonly since?: unknown;
}

/** What a run waits for beside its layers; these are found by their frames. */
export class Waits {
  /** In the order in which they were entered: of those of one entry the last is what is at work. */
  readonly #stretches = new Set<Stretch>();

  enter(stretch: Stretch): void {
    this.#stretches.add(stretch);
  }

  leave(stretch: Stretch): void {
    this.#stretches.delete(stretch);
  }

  /** What a function gives; until then the stretch is under way. */
  async during<T>(stretch: Stretch, fn: () => T | Promise<T>): Promise<T> {
    return this.around(stretch, fn);
  }

  /** The same, at once if the function does not wait. */
  around<T>(stretch: Stretch, fn: () => T | Promise<T>): T | Promise<T> {
    const leave = (): void => this.leave(stretch);
    let isWaiting = false;
    this.enter(stretch);
    try {
      const made = fn();
      if (!isPromise(made)) return made;
      isWaiting = true;
      return Promise.resolve(made).finally(leave);
    } finally {
      if (!isWaiting) leave();
    }
  }

  /** Nobody waits for what was left running. */
  clear(): void {
    this.#stretches.clear();
  }

  /** Those whose own code is at work, and not somebody's further in. */
  find(life: Pick<Frame, 'findWaits'>): Wait[] {
    const found: Wait[] = [];
    life.findWaits((wait) => found.push(wait));
    const open = [...this.#stretches].filter(({ scope }) => scope?.over !== true);
    const layers = found.filter(({ by, plugin }) => !open.some((each) => isWithin(each, by, plugin)));
    const stretches = open.flatMap((stretch, index): Wait[] => {
      const { plugin, scope, what, isPassed, since } = stretch;
      if (what === undefined || isPassed === true) return [];
      if (open.slice(index + 1).some((later) => isWithin(later, scope, plugin))) return [];
      return [{ by: stretch, plugin, what, since }];
    });
    return [...layers, ...stretches];
  }
}

function isWithin(stretch: Stretch, scope: object | undefined, plugin: string | undefined): boolean {
  return stretch.scope === undefined ? stretch.plugin === plugin : stretch.scope === scope;
}
