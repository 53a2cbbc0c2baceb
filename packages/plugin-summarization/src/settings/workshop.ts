import type { RunInfo } from '@shallot/core';
import type { ChatModel, ModelRequest } from '@shallot/core/model';
import type { ContextMeter, PluginSetup, PluginState } from '@shallot/core/plugin';

import type { Offloaded } from '../history/offload.ts';
import type { Settings, Sizes } from './options.ts';
import { isReached, type Extent, type Size } from './size.ts';

/** What the plugin works with. */
export interface Workshop {
  readonly settings: Settings;
  /** The model that writes summaries, when it is not the run's. */
  readonly writer: ChatModel | undefined;
  readonly generate: PluginSetup['generate'];
  readonly tokens: PluginSetup['tokens'];
  readonly meter: ContextMeter;
  readonly memory: PluginState<Remembered>;
}

/** What is kept with a session. */
export interface Remembered {
  /** How far the history file goes. */
  readonly offloaded: Offloaded | null;
  /** The last message whose arguments were looked at. */
  readonly truncated: string | null;
  /** After a failure: the number of tokens below which nothing is tried again. */
  readonly hold: number | null;
}

export const nothingRemembered: Remembered = Object.freeze({ offloaded: null, truncated: null, hold: null });

/** One attempt to condense the history of a request. */
export interface Job {
  readonly shop: Workshop;
  readonly run: RunInfo;
  readonly request: ModelRequest;
  readonly sizes: Sizes;
  readonly reason: Reason;
  readonly extent: Extent;
  readonly signal: AbortSignal;
  /** What the summary is to keep above all, when the model asked for it. */
  readonly focus?: string | undefined;
}

/** Why a history is condensed. */
export type Reason = 'size' | 'requested' | 'overflow';

/** Whether a size is reached, by this many tokens. */
export function reaches({ extent, sizes }: Job, size: Size, tokens = extent.tokens): boolean {
  return isReached(size, { ...extent, tokens }, sizes.contextTokens);
}

/** Whether any of the sizes is reached at which a history is condensed. */
export function isDue(job: Job, tokens = job.extent.tokens): boolean {
  return job.sizes.trigger.some((size) => reaches(job, size, tokens));
}

/** After a failure, or when nothing can be gained: no other attempt before the conversation has grown by a tenth. */
export function holdOff({ shop, run, extent }: Job, tokens = extent.tokens): void {
  remember(shop, run, { hold: Math.ceil(tokens * 1.1) });
}

/** Changes some of what is kept with the session. */
export function remember({ memory }: Workshop, run: RunInfo, change: Partial<Remembered>): void {
  memory.update(run, (remembered) => ({ ...remembered, ...change }));
}
