import { addUsage, type FinishReason, type ModelRequest, type Usage } from '@shallot/core/model';

import type { ModelActivity } from '../observe/activity.ts';

/** The totals of a run's model calls, for its span. */
export class RunTotals {
  /** The usage of all calls, those of plugins included; undefined if it is not counted. */
  usage: Usage | undefined;
  /** The request of the first call that the agent itself made. */
  request: ModelRequest | undefined;
  /** The finish reason of the agent's latest answer. */
  finish: FinishReason | undefined;

  readonly #countsUsage: boolean;

  constructor({ countsUsage }: { readonly countsUsage: boolean }) {
    this.#countsUsage = countsUsage;
  }

  add({ request, response, origin }: ModelActivity): void {
    const used = response?.usage;
    if (used !== undefined && this.#countsUsage)
      this.usage = this.usage === undefined ? used : addUsage(this.usage, used);
    if (origin !== undefined) return;
    this.request ??= request;
    this.finish = response?.finish ?? 'error';
  }
}
