import { isShallotError, type RunInfo } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import type { ModelNext, ModelScope, Shortening } from '@shallot/core/plugin';

import { condenseNow } from './condense.ts';
import type { Workshop } from './settings/workshop.ts';

/** The most attempts to send a request that the model rejects as too long, each shorter than the last. */
const maxAttempts = 6;

/** Sends requests that the model rejects as too long again, each time with a shorter history. */
export class Recovery implements Shortening {
  readonly #shop: Workshop;
  /** Calls in progress, by run id. `isDeferred` is true once a layer inside has left a refusal to this object. */
  readonly #awaited = new Map<string, { isDeferred: boolean }>();

  constructor(shop: Workshop) {
    this.#shop = shop;
  }

  shortens({ id }: RunInfo): boolean {
    const waiting = this.#awaited.get(id);
    if (waiting === undefined) return false;
    waiting.isDeferred = true;
    return true;
  }

  async call(
    request: ModelRequest,
    next: ModelNext,
    scope: ModelScope,
    agentContext: number | undefined,
  ): Promise<ModelResponse> {
    const { id } = scope.run;
    const waiting = { isDeferred: false };
    this.#awaited.set(id, waiting);
    let asked = request;
    let { messages } = scope.run;
    try {
      for (let attempt = 1; attempt < maxAttempts; attempt += 1) {
        try {
          return await next(asked);
        } catch (error) {
          if (!isShallotError(error, 'MODEL_CONTEXT_OVERFLOW')) throw error;
          const whole = { ...request, messages };
          const shorter = await condenseNow(this.#shop, whole, scope, agentContext, error);
          if (shorter === undefined && !waiting.isDeferred) throw error;
          if (shorter === undefined) break;
          scope.replaceMessages(shorter);
          messages = shorter;
          asked = { ...request, messages };
        }
      }
    } finally {
      this.#awaited.delete(id);
    }
    // The history cannot be shortened any further, so layers inside that left the refusal to this one may now try
    // another model.
    return next(asked);
  }
}
