import type { RunInfo } from '@shallot/core';
import type { ChatModel, ModelRequest } from '@shallot/core/model';
import type { ContextMeter, PluginSetup, PluginState, Size } from '@shallot/core/plugin';

import type { Offloaded } from '../history/offload.ts';
import { isReached, type Extent } from './is-reached.ts';
import type { Settings, Sizes } from './options.ts';

/** The plugin's services and settings, shared by its functions. */
export interface Workshop {
  readonly settings: Settings;
  /** The model that writes summaries; undefined for the model of the run. */
  readonly writer: ChatModel | undefined;
  readonly generate: PluginSetup['generate'];
  readonly tokens: PluginSetup['tokens'];
  readonly meter: ContextMeter;
  readonly memory: PluginState<Remembered>;
  /**
   * Returns the path of the session's history file, and adds it to the session's metadata; undefined without history
   * files.
   */
  readonly historyPath: ((run: RunInfo) => Promise<string>) | undefined;
}

/** The plugin's session state. */
export interface Remembered {
  /** The last message in the history file, and the revision of the file. */
  readonly offloaded: Offloaded | null;
  /** The last message whose arguments were checked for truncation. */
  readonly truncated: string | null;
  /** The context size that a model named in a refusal, if it is not known otherwise. */
  readonly contextTokens: number | null;
  /** The number of tokens below which no further attempt is made after a failure. */
  readonly hold: number | null;
}

export const nothingRemembered: Remembered = Object.freeze({
  offloaded: null,
  truncated: null,
  contextTokens: null,
  hold: null,
});

/** An attempt to condense the history of a request. */
export interface Job {
  readonly shop: Workshop;
  readonly run: RunInfo;
  readonly request: ModelRequest;
  readonly sizes: Sizes;
  readonly reason: Reason;
  readonly extent: Extent;
  readonly signal: AbortSignal;
  /** The subject that the summary must keep, if the model named one. */
  readonly focus?: string | undefined;
}

/** The reason for condensing a history. */
export type Reason = 'size' | 'requested' | 'overflow';

/** Returns true if a number of tokens reaches a size. */
export function reaches({ extent, sizes }: Job, size: Size, tokens = extent.tokens): boolean {
  return isReached(size, { ...extent, tokens }, sizes.contextTokens);
}

/** Returns true if a trigger size is reached. */
export function isDue(job: Job, tokens = job.extent.tokens): boolean {
  return job.sizes.trigger.some((size) => reaches(job, size, tokens));
}

/** The growth of a conversation after which a failed attempt is repeated. */
export const growthToWait = 1.1;

/**
 * Prevents further attempts until the conversation has grown by a tenth, after a failure or if nothing can be gained.
 */
export function holdOff({ shop, run, extent }: Job, tokens = extent.tokens): void {
  remember(shop, run, { hold: Math.ceil(tokens * growthToWait) });
}

/** Updates members of the session state. */
export function remember({ memory }: Workshop, run: RunInfo, change: Partial<Remembered>): void {
  memory.update(run, (remembered) => ({ ...remembered, ...change }));
}
