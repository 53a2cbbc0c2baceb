import type { CacheMarks } from '@shallot/core/model';

import type { LanguageModel } from '../sdk/language-model.ts';
import type { ProviderMetadata } from '../sdk/metadata.ts';

/** The way to mark content for a provider's cache. Most providers cache automatically. */
export interface CacheDialect {
  readonly marks: number;
  /** Returns the provider metadata that marks a part; undefined if a setting of the request is used instead. */
  readonly mark?: (ttl: CacheMarks['ttl']) => ProviderMetadata;
  /** True if tools can be marked. Otherwise the mark on the instructions covers them. */
  readonly onTools?: boolean;
  /** The request setting that enables caching. */
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

/** Returns the dialect of a model; undefined if marks have no effect or are rejected. */
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
