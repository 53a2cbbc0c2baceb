import type { RunRecord, StateEntry } from '../../contract/store.ts';

/** Plugin state with the scope of a run. Most runs have none. */
export class RunState {
  #plugins: Map<string, Map<string, StateEntry>> | undefined;

  constructor(record: RunRecord['state'] = empty) {
    const plugins = Object.entries(record);
    if (plugins.length > 0)
      this.#plugins = new Map(plugins.map(([id, keys]) => [id, new Map(Object.entries(keys))]));
  }

  get(plugin: string, key: string): StateEntry | undefined {
    return this.#plugins?.get(plugin)?.get(key);
  }

  set(plugin: string, key: string, entry: StateEntry): void {
    this.#plugins ??= new Map();
    const keys = this.#plugins.get(plugin) ?? new Map<string, StateEntry>();
    this.#plugins.set(plugin, keys.set(key, entry));
  }

  toRecord(): RunRecord['state'] {
    if (this.#plugins === undefined) return empty;
    return Object.fromEntries([...this.#plugins].map(([id, keys]) => [id, Object.fromEntries(keys)]));
  }
}

const empty: RunRecord['state'] = Object.freeze({});
