import type { JsonObject } from '@shallot/core';
import type { Usage } from '@shallot/core/model';

import { isJsonObject } from '../sdk/metadata.ts';

/**
 * Returns the usage with the tokens that were written to a cache for an hour. Only Anthropic reports them, in a
 * format of its own.
 */
export function withLongerCache(
  usage: Usage | undefined,
  metadata: JsonObject | undefined,
): Usage | undefined {
  if (usage?.cacheWrite === undefined) return usage;
  const [written] = Object.values(metadata ?? {}).flatMap((provider) => {
    const own = isJsonObject(provider) ? provider['usage'] : undefined;
    const creation = isJsonObject(own) ? own['cache_creation'] : undefined;
    const tokens = isJsonObject(creation) ? creation['ephemeral_1h_input_tokens'] : undefined;
    return typeof tokens === 'number' && tokens > 0 ? [tokens] : [];
  });
  return written === undefined ? usage : { ...usage, cacheWrite1h: Math.min(written, usage.cacheWrite) };
}
