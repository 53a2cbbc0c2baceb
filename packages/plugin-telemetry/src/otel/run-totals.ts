import { addUsage, type FinishReason, type ModelRequest, type Usage } from '@shallot/core/model';

import type { ModelActivity } from '../observe/activity.ts';

/** What the model calls of a run come to: its own span tells it. */
export class RunTotals {
  /** Of all calls, those that plugins make included. */
  usage: Usage | undefined;
  /** The first that the agent itself made. */
  request: ModelRequest | undefined;
  /** How the agent's latest answer ended. */
  finish: FinishReason | undefined;

  add({ request, response, origin }: ModelActivity): void {
    const used = response?.usage;
    if (used !== undefined) this.usage = this.usage === undefined ? used : addUsage(this.usage, used);
    if (origin !== undefined) return;
    this.request ??= request;
    this.finish = response?.finish ?? 'error';
  }
}
