import { ShallotError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { frozenJson } from '../base/json/frozen-json.ts';
import { versioned } from '../contract/plugin-names.ts';
import type { PluginState, StateSpec } from '../contract/plugin.ts';
import type { StateEntry } from '../contract/store.ts';
import type { Owner } from '../hooks/owner.ts';
import type { TreeState } from '../run/child-terms.ts';
import type { DeclaredState } from '../run/live-plugins.ts';
import { RunView } from '../run/run-view.ts';

/** Returns a declaration of state, and the plugin's access to it. @throws `PLUGIN_SETUP_FAILED` for an invalid declaration */
export function declareState<T>(
  owner: Owner,
  spec: StateSpec<T>,
): { readonly declared: DeclaredState; readonly state: PluginState<T> } {
  const { key, scope = 'session', tree = false, version = 1, initial, migrate = {}, onFork } = spec;
  if (scope !== 'session' && scope !== 'run') {
    throw new ShallotError('PLUGIN_SETUP_FAILED', {
      message: `${owner.id} declared the state "${key}" with the scope ${JSON.stringify(scope)}; write session or run.`,
      plugin: owner.id,
    });
  }
  if (
    typeof key !== 'string' ||
    key === '' ||
    typeof initial !== 'function' ||
    !Number.isSafeInteger(version)
  ) {
    throw new ShallotError('PLUGIN_SETUP_FAILED', {
      message: `${owner.id} declared state without a key or an initial function, or with a version that is not a whole number.`,
      plugin: owner.id,
    });
  }
  const entryOf = (value: JsonValue): StateEntry => ({
    version,
    value,
    ...(onFork === undefined ? {} : { onFork }),
  });
  const upgrade = (entry: StateEntry, writer?: string): StateEntry => {
    if (entry.version === version) return entry;
    const by = writer === undefined ? '' : `, written by ${owner.name} ${writer}`;
    const stored = `The state "${key}" of ${owner.id} has version ${entry.version}${by}`;
    const fail = (why: string, cause?: unknown): ShallotError =>
      new ShallotError('STATE_VERSION', {
        message: `${stored}; ${versioned(owner)} reads version ${version}: ${why}. Install a matching version of the plugin.`,
        plugin: owner.id,
        cause,
      });
    return entryOf(migrateState(entry, version, migrate, fail));
  };

  const merge = (entry: StateEntry | undefined, members: JsonObject): StateEntry => {
    // Only states with an object as their value are merged.
    const value = (entry === undefined ? initial() : upgrade(entry).value) as JsonObject;
    return entryOf(Object.freeze({ ...value, ...members }));
  };
  const holderOf = (view: unknown): TreeState => {
    const { plugins } = RunView.runOf(view);
    return tree ? plugins.root : plugins;
  };
  const put = (run: TreeState, entry: StateEntry): JsonValue => {
    run.setState(owner.id, key, scope, entry);
    return entry.value;
  };
  const get = (view: unknown): T => {
    const run = holderOf(view);
    const entry = run.stateEntry(owner.id, key, scope);
    if (entry === undefined) return initial();
    // `set` or the plugin's migration returned this value.
    return (entry.version === version ? entry.value : put(run, upgrade(entry))) as T;
  };
  const set = (view: unknown, value: T): void => {
    put(holderOf(view), entryOf(frozenJson(value, `the state "${key}"`, owner.id)));
  };
  return {
    declared: { owner, key, scope, tree, upgrade, merge },
    state: { get, set, update: (view, change) => set(view, change(get(view))) },
  };
}

function migrateState(
  entry: StateEntry,
  version: number,
  migrate: Readonly<Record<number, (old: JsonValue) => JsonValue>>,
  fail: (why: string, cause?: unknown) => ShallotError,
): JsonValue {
  if (entry.version > version) throw fail('it was written by a newer version');
  let { value } = entry;
  for (let from = entry.version; from < version; from += 1) {
    const step = migrate[from];
    if (step === undefined) throw fail(`there is no migration from version ${from}`);
    try {
      value = frozenJson(step(value), `the result of the migration from version ${from}`);
    } catch (cause) {
      throw fail(`the migration from version ${from} failed`, cause);
    }
  }
  return value;
}
