import type { PluginPlacement, PluginSetup, ReadyAgent } from '../contract/plugin.ts';

/** Measures the time that a plugin takes to start, in milliseconds. */
export class StartTimer {
  #ms: number;

  /** `ms` is the time spent so far. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  get ms(): number {
    return this.#ms;
  }

  /** Returns the plugin with its `setup`, `onStart` and `onReady` timed. */
  timed(placement: PluginPlacement): PluginPlacement {
    const { use } = placement;
    const { definition } = use;
    const setup = (given: PluginSetup): Promise<void> =>
      this.#time(() => definition.setup(this.#timedSetup(given)));
    return { ...placement, use: { ...use, definition: { ...definition, setup } } };
  }

  #timedSetup(given: PluginSetup): PluginSetup {
    const onStart: PluginSetup['onStart'] = (start) => given.onStart(() => this.#time(start));
    const onReady: PluginSetup['onReady'] = (ready) =>
      given.onReady((agent: ReadyAgent) => this.#time(() => ready(agent)));
    // Copies descriptors, because some members are getters with side effects. They become own members of the copy, so
    // that `...rest` includes them.
    const members = Object.getOwnPropertyDescriptors(given);
    return Object.create(null, {
      ...members,
      onStart: { ...members.onStart, value: onStart },
      onReady: { ...members.onReady, value: onReady },
    }) as PluginSetup;
  }

  async #time<T>(work: () => T | Promise<T>): Promise<T> {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#ms += performance.now() - begun;
    }
  }
}
