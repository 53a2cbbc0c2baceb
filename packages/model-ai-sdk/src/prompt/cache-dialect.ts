import type { CacheMarks } from '@shallot/core/model';

import type { LanguageModel } from '../sdk/language-model.ts';
import type { ProviderMetadata } from '../sdk/metadata.ts';

/** How a provider is told what to cache. Most cache by themselves, and are told nothing. */
export interface CacheDialect {
  readonly marks: number;
  /** What stands for a mark; without it, one setting of the request does. */
  readonly mark?: (ttl: CacheMarks['ttl']) => ProviderMetadata;
  /** Whether tools take marks. Elsewhere that of the instructions includes them. */
  readonly onTools?: boolean;
  /** The setting of a request that asks for it. */
  readonly request?: ProviderMetadata;
}

const ephemeral = (ttl: CacheMarks['ttl']): ProviderMetadata[string] => ({
  cacheControl: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) },
});

const anthropic: CacheDialect = { marks: 4, onTools: true, mark: (ttl) => ({ anthropic: ephemeral(ttl) }) };
const openrouter: CacheDialect = { marks: 4, mark: (ttl) => ({ openrouter: ephemeral(ttl) }) };
const bedrock: CacheDialect = {
  marks: 4,
  mark: (ttl) => ({ bedrock: { cachePoint: { type: 'default', ...(ttl === undefined ? {} : { ttl }) } } }),
};
/** The gateway places the marks itself. */
const gateway: CacheDialect = { marks: 1, request: { gateway: { caching: 'auto' } } };

/** The dialect of a model; undefined where marks are of no use, or would be refused. */
export function cacheDialect({
  provider,
  modelId,
}: Pick<LanguageModel, 'provider' | 'modelId'>): CacheDialect | undefined {
  const words = provider.split(/[^a-z]+/);
  if (words.includes('anthropic')) return anthropic;
  if (words.includes('bedrock')) return /anthropic|claude|nova/.test(modelId) ? bedrock : undefined;
  if (words.includes('openrouter')) return /^~?(?:anthropic|google)\//.test(modelId) ? openrouter : undefined;
  return words.includes('gateway') ? gateway : undefined;
}
