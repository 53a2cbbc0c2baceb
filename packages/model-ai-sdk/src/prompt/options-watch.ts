import type { JsonObject } from '@shallot/core';
import { nearest } from '@shallot/core/plugin';

import type { CallOptions } from '../sdk/language-model.ts';
import { providers } from '../sdk/providers.ts';

type ProviderOptions = Readonly<Record<string, JsonObject>>;

/**
 * Records which options a package reads. Packages silently ignore unknown options, so an option that was never read is
 * misspelt or of another version.
 */
export class OptionsWatch {
  readonly #given: ProviderOptions;
  readonly #names = new Reader();
  readonly #keys = new Map<string, Reader>();

  /** `given` are the options of the settings; only these are reported. */
  constructor(given: ProviderOptions) {
    this.#given = given;
  }

  /** Returns the options with their reads recorded. */
  around(options: CallOptions): CallOptions {
    if (options.providerOptions === undefined) return options;
    const each = Object.entries(options.providerOptions).map(([name, value]) => {
      const reader = new Reader();
      this.#keys.set(name, reader);
      return [name, reader.watch(value)] as const;
    });
    return { ...options, providerOptions: this.#names.watch(Object.fromEntries(each)) };
  }

  /** Returns a sentence for each option that was not read. */
  unread(): readonly string[] {
    return Object.entries(this.#given).flatMap(([name, options]) => {
      const reader = this.#keys.get(name);
      if (reader === undefined || this.#names.hasLeft(name)) return this.#unknownProvider(name);
      return Object.keys(options).flatMap((key) => {
        if (!reader.hasLeft(key)) return [];
        const like = nearest(key, reader.asked);
        const advice = like === undefined ? 'Remove it.' : `Did you mean "${like}"?`;
        return [`settings.provider.${name}.${key} is not used: the package does not know it. ${advice}`];
      });
    });
  }

  /**
   * Returns a sentence about options for an unknown provider. They may be meant for other models, so only names
   * similar to known ones are reported.
   */
  #unknownProvider(name: string): readonly string[] {
    const known = [...this.#names.asked, ...Object.keys(providers)];
    const like = known.includes(name) ? undefined : nearest(name, known);
    return like === undefined
      ? []
      : [`settings.provider.${name} is not used: there is no such provider. Did you mean "${like}"?`];
  }
}

/** Records reads of an object. */
class Reader {
  readonly #asked = new Set<string>();
  /** True if all keys were enumerated. */
  #isListed = false;

  watch<T extends object>(object: T): T {
    const ask = (key: string | symbol): void => {
      if (typeof key === 'string') this.#asked.add(key);
    };
    return new Proxy(object, {
      get: (target, key, receiver) => {
        ask(key);
        return Reflect.get(target, key, receiver) as unknown;
      },
      has: (target, key) => {
        ask(key);
        return Reflect.has(target, key);
      },
      ownKeys: (target) => {
        this.#isListed = true;
        return Reflect.ownKeys(target);
      },
    });
  }

  get asked(): string[] {
    return [...this.#asked];
  }

  hasLeft(key: string): boolean {
    return !this.#isListed && !this.#asked.has(key);
  }
}
