import { isShallotError, type SourceLocation } from '../../base/errors.ts';
import type { HookName } from '../../base/hook-names.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { Owner } from '../../hooks/owner.ts';

/** The plugin and hook that caused an error; both undefined for an error of the model. */
export interface Blame {
  readonly plugin?: string;
  readonly hook?: HookName;
  /** The place in the config that lists the plugin. */
  readonly at?: SourceLocation;
}

/** The origins of a run's errors. They are noted inside out, and the first note for an error wins. */
export class Blames {
  #notes: WeakMap<object, Blame> | undefined;
  /** The origin of thrown values that are not objects; these cannot be told apart. */
  #primitive: Blame | undefined;

  /** Notes the tap that an error came from. */
  tap(tap: LiveTap, error: unknown): void {
    const { hook } = tap.registration;
    // An error of an interceptor belongs to its own plugin, not to the tap that it intercepted.
    if (isShallotError(error, 'HOOK_INTERCEPTOR') && error.plugin !== undefined)
      this.#note(error, { plugin: error.plugin, hook });
    else this.#note(error, { ...blameOf(tap.owner), hook });
  }

  /** Notes that an error came from the model, not from a layer. */
  model(error: unknown): void {
    this.#note(error, {});
  }

  /** Notes that an error came from an `aroundRun` function of a plugin. */
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
