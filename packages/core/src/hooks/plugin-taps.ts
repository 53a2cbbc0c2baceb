import type { Priority } from '../contract/priority.ts';
import type { RunInfo } from '../contract/run-info.ts';
import type { TapRegistration } from './live-tap.ts';
import type { Owner } from './owner.ts';
import type { InterceptorRegistration } from './watcher.ts';

export type Surround = <T>(run: RunInfo, next: () => Promise<T>) => Promise<T>;

/** What an entry in the list of plugins says of its place. */
export interface PlaceInList {
  readonly priority?: Priority | undefined;
  readonly outside?: readonly string[] | undefined;
  readonly inside?: readonly string[] | undefined;
}

/** What the chains are made of: a plugin's place, and what it registered. */
export interface PluginTaps {
  readonly owner: Owner;
  readonly priority: Priority | undefined;
  readonly outside: readonly string[];
  readonly inside: readonly string[];
  /** What the entry in the list says of its place; the rest is the plugin's own. */
  readonly entry: PlaceInList;
  readonly taps: readonly TapRegistration[];
  readonly interceptors: readonly InterceptorRegistration[];
  readonly surrounds: readonly Surround[];
}
