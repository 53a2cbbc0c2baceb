import { randomUUID } from 'node:crypto';

import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { JsonValue } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';

type Update = Extract<SessionUpdate, { sessionUpdate: 'compaction_update' }>;

/**
 * The compactions of a session's context that an editor was shown. They follow from the events of the summarization
 * plugin.
 */
export class Compactions {
  #open: string | undefined;

  /** Returns the update about an event of the plugin; undefined for one that shows nothing new about a summary. */
  event(name: string, data: JsonValue): Update | undefined {
    if (name !== 'summarizing' && name !== 'summarized') return undefined;
    const isNew = this.#open === undefined;
    const compactionId = (this.#open ??= `compaction_${randomUUID()}`);
    // Only the last event about a summary has the sizes before and after it.
    const { dropped, tokensBefore, tokensAfter } = isJsonObject(data) ? data : {};
    if (name === 'summarized' && typeof tokensAfter === 'number' && typeof tokensBefore === 'number') {
      this.#open = undefined;
      const count = typeof dropped === 'number' ? `${dropped} earlier` : 'Earlier';
      const text = `${count} messages were replaced by a summary: ${tokensBefore} tokens became ${tokensAfter}.`;
      return { ...started(compactionId), status: 'completed', summary: [{ type: 'text', text }] };
    }
    return isNew ? started(compactionId) : undefined;
  }

  /** Ends the compaction in progress as failed, and returns the update; undefined if there is none. */
  end(): Update | undefined {
    const compactionId = this.#open;
    this.#open = undefined;
    return compactionId === undefined ? undefined : { ...started(compactionId), status: 'failed' };
  }
}

function started(compactionId: string): Update {
  return { sessionUpdate: 'compaction_update', compactionId, status: 'in_progress' };
}
