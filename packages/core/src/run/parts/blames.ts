import { isShallotError, type SourceLocation } from '../../base/errors.ts';
import type { HookName } from '../../base/hook-names.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { Owner } from '../../hooks/owner.ts';

/** Who is noted for an error: neither plugin nor hook when it was the model. */
export interface Blame {
  readonly plugin?: string;
  readonly hook?: HookName;
  /** Where the plugin was listed. */
  readonly at?: SourceLocation;
}

/** Who the errors of a run came from. Notes are made inside out: the first one about an error holds. */
export class Blames {
  #notes: WeakMap<object, Blame> | undefined;
  /** Whatever else is thrown, a string for instance, cannot be told apart. */
  #primitive: Blame | undefined;

  /** Notes that an error came from a plugin's tap. */
  tap(tap: LiveTap, error: unknown): void {
    const { hook } = tap.registration;
    // The failure of an interceptor is its plugin's, not that of the tap that was about to run.
    if (isShallotError(error, 'HOOK_INTERCEPTOR') && error.plugin !== undefined)
      this.#note(error, { plugin: error.plugin, hook });
    else this.#note(error, { ...blameOf(tap.owner), hook });
  }

  /** Notes that an error came from the model, not from a layer. */
  model(error: unknown): void {
    this.#note(error, {});
  }

  /** Notes that an error came from what a plugin gave to `aroundRun`. */
  surround(owner: Owner, error: unknown): void {
    this.#note(error, blameOf(owner));
  }

  of(error: unknown): Blame | undefined {
    return typeof error === 'object' && error !== null ? this.#notes?.get(error) : this.#primitive;
  }

  #note(error: unknown, blame: Blame): void {
    if (typeof error === 'object' && error !== null) {
      this.#notes ??= new WeakMap();
      if (!this.#notes.has(error)) this.#notes.set(error, blame);
    } else {
      this.#primitive ??= blame;
    }
  }
}

function blameOf({ id, at }: Owner): Blame {
  return at === undefined ? { plugin: id } : { plugin: id, at };
}
