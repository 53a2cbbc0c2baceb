import type { Priority } from '../contract/priority.ts';
import type { RunInfo } from '../contract/run-info.ts';
import type { TapRegistration } from './live-tap.ts';
import type { Owner } from './owner.ts';
import type { InterceptorRegistration } from './watcher.ts';

export type Surround = <T>(run: RunInfo, next: () => Promise<T>) => Promise<T>;

/** The place given by an entry in the list of plugins. */
export interface PlaceInList {
  readonly priority?: Priority | undefined;
  readonly outside?: readonly string[] | undefined;
  readonly inside?: readonly string[] | undefined;
}

/** The taps and other registrations of a plugin, with its place. */
export interface PluginTaps {
  readonly owner: Owner;
  readonly priority: Priority | undefined;
  readonly outside: readonly string[];
  readonly inside: readonly string[];
  /** The place given by the entry in the list. Its members are also merged into those above. */
  readonly entry: PlaceInList;
  /** True if the plugin surrounds only children that list it. */
  readonly onlyChildren?: boolean;
  readonly taps: readonly TapRegistration[];
  readonly interceptors: readonly InterceptorRegistration[];
  readonly surrounds: readonly Surround[];
}
