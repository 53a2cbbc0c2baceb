import type { ActiveRun } from './active-run.ts';
import { ShallotError } from './errors.ts';
import { freezeJson, type JsonValue } from './json.ts';
import type { Owner } from './live-tap.ts';
import type { PluginState, StateSpec } from './plugin.ts';
import { RunView } from './run-view.ts';
import type { StateEntry } from './store.ts';

/** A piece of state that a plugin declared, with who declared it. */
export interface DeclaredState {
  readonly owner: Owner;
  readonly key: string;
  readonly scope: 'session' | 'run';
  /** Brings a stored value up to the declared version. @throws `STATE_VERSION` */
  readonly upgrade: (entry: StateEntry) => StateEntry;
}

/** Makes the access that a plugin gets to a piece of its state. @throws `PLUGIN_SETUP_FAILED` for a bad declaration */
export function declareState<T>(
  owner: Owner,
  spec: StateSpec<T>,
): { readonly declared: DeclaredState; readonly state: PluginState<T> } {
  const { key, scope = 'session', version = 1, initial, migrate = {} } = spec;
  if (
    typeof key !== 'string' ||
    key === '' ||
    typeof initial !== 'function' ||
    !Number.isSafeInteger(version)
  ) {
    throw new ShallotError('PLUGIN_SETUP_FAILED', {
      message: `${owner.id} declared state without a key, without an initial function, or with a version that is not a whole number.`,
      plugin: owner.id,
    });
  }
  const upgrade = (entry: StateEntry): StateEntry => upgradeState(owner, key, version, migrate, entry);

  const put = (run: ActiveRun, entry: StateEntry): JsonValue => {
    run.setState(owner.id, key, scope, entry);
    return entry.value;
  };
  const write = (run: ActiveRun, value: T): T => {
    freezeJson(value, `the state "${key}"`, owner.id);
    put(run, { version, value });
    return value;
  };
  const get = (view: unknown): T => {
    const run = RunView.runOf(view);
    const entry = run.stateEntry(owner.id, key, scope);
    if (entry === undefined) return initial();
    // What is stored under this key was set by `write`, or is made by the plugin's own migration.
    return (entry.version === version ? entry.value : put(run, upgrade(entry))) as T;
  };
  const set = (view: unknown, value: T): void => {
    write(RunView.runOf(view), value);
  };
  return {
    declared: { owner, key, scope, upgrade },
    state: { get, set, update: (view, change) => set(view, change(get(view))) },
  };
}

function upgradeState(
  owner: Owner,
  key: string,
  version: number,
  migrate: Readonly<Record<number, (old: JsonValue) => JsonValue>>,
  entry: StateEntry,
): StateEntry {
  if (entry.version === version) return entry;
  let { value } = entry;
  if (entry.version > version)
    throw cannotUpgrade(owner, key, entry.version, version, 'it was written by a newer one');
  for (let from = entry.version; from < version; from += 1) {
    const step = migrate[from];
    if (step === undefined) {
      throw cannotUpgrade(owner, key, entry.version, version, `there is no migration from version ${from}`);
    }
    try {
      value = step(value);
      freezeJson(value, `the state "${key}" migrated from version ${from}`, owner.id);
    } catch (cause) {
      throw cannotUpgrade(
        owner,
        key,
        entry.version,
        version,
        `the migration from version ${from} failed`,
        cause,
      );
    }
  }
  return { version, value };
}

function cannotUpgrade(
  owner: Owner,
  key: string,
  from: number,
  to: number,
  why: string,
  cause?: unknown,
): ShallotError {
  return new ShallotError('STATE_VERSION', {
    message: `The state "${key}" of ${owner.id} has version ${from}, and ${owner.name} ${owner.version} reads version ${to}: ${why}. Install a version of the plugin that fits.`,
    plugin: owner.id,
    ...(cause === undefined ? {} : { cause }),
  });
}
