import { isPromise } from '../base/is-promise.ts';
import type { Wait } from '../base/wait.ts';
import type { Frame } from './frame.ts';

/**
 * A period in which a plugin waits, other than for an inner layer: for a function of `once`, `inTime` or `asking`, for a
 * child, or for a model call of its own.
 */
export interface Stretch {
  readonly plugin: string;
  /** The entry of a layer or gate to which it belongs; undefined for the whole run. */
  readonly scope?: { readonly over: boolean } | undefined;
  /** The description for warnings; undefined during a wait for a model or a person, which is not reported. */
  readonly what?: string;
}

/** The waits of a run other than those for layers, which are found through their frames. */
export class Stretches {
  /** In order of entry: within one scope, only the last one is active. */
  readonly #stretches = new Set<Stretch>();

  enter(stretch: Stretch): void {
    this.#stretches.add(stretch);
  }

  leave(stretch: Stretch): void {
    this.#stretches.delete(stretch);
  }

  /** Returns the function's result; the stretch lasts until it settles. */
  async during<T>(stretch: Stretch, fn: () => T | Promise<T>): Promise<T> {
    return this.around(stretch, fn);
  }

  /** Returns the function's result; a promise only if the function returned one. */
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

  /** Forgets all waits of a stopped run. */
  clear(): void {
    this.#stretches.clear();
  }

  /** Returns the innermost waits: layers and stretches whose own code is running. */
  find(life: Pick<Frame, 'findWaits'>): Wait[] {
    const found: Wait[] = [];
    life.findWaits((wait) => found.push(wait));
    const open = [...this.#stretches].filter(({ scope }) => scope?.over !== true);
    const layers = found.filter(({ by, plugin }) => !open.some((each) => isWithin(each, by, plugin)));
    const stretches = open.flatMap((stretch, index): Wait[] => {
      const { plugin, scope, what } = stretch;
      if (what === undefined) return [];
      if (open.slice(index + 1).some((later) => isWithin(later, scope, plugin))) return [];
      return [{ by: stretch, plugin, what }];
    });
    return [...layers, ...stretches];
  }
}

function isWithin(stretch: Stretch, scope: object | undefined, plugin: string | undefined): boolean {
  return stretch.scope === undefined ? stretch.plugin === plugin : stretch.scope === scope;
}
