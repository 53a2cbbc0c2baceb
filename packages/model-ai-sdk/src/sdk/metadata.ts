import type { JsonObject, JsonValue } from '@shallot/core';

/** The metadata of one provider, by its name: how the AI SDK keys what only one provider understands. */
export type ProviderMetadata = Record<string, JsonObject>;

/** Under this key a message of a model remembers which provider made it. */
export const originKey = 'ai-sdk';

/** The provider's own name in `anthropic.messages`. */
export function providerName(provider: string): string {
  return provider.split('.', 1)[0] ?? provider;
}

/**
 * Tells the metadata of a provider from that of others, by the name that it is kept under: `amazon-bedrock` reads `bedrock`
 * and `amazonBedrock`, a server of one's own called `my-server` reads `myServer`.
 */
export function ownKeys(provider: string): (key: string) => boolean {
  const words = provider
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const names = new Set(['openaicompatible']);
  for (let from = 0; from < words.length; from += 1) {
    for (let to = from + 1; to <= words.length; to += 1) names.add(words.slice(from, to).join(''));
  }
  const known = new Map<string, boolean>();
  return (key) => {
    let isOwn = known.get(key);
    if (isOwn === undefined) {
      isOwn = names.has(key.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
      if (known.size < 1000) known.set(key, isOwn);
    }
    return isOwn;
  };
}

/** What of some metadata is for the provider; undefined if nothing is. */
export function ownMetadata(
  metadata: JsonObject | undefined,
  isOwn: (key: string) => boolean,
): ProviderMetadata | undefined {
  if (metadata === undefined) return undefined;
  let own: ProviderMetadata | undefined;
  for (const [key, value] of Object.entries(metadata)) {
    if (isJsonObject(value) && isOwn(key)) (own ??= {})[key] = value;
  }
  return own;
}

/** The provider that made a message, where it is known. */
export function originOf(metadata: JsonObject | undefined): string | undefined {
  const origin = metadata?.[originKey];
  const provider = isJsonObject(origin) ? origin['provider'] : undefined;
  return typeof provider === 'string' ? provider : undefined;
}

/** What a provider said of a part, as JSON that can be kept; undefined if it says nothing. */
export function keptMetadata(metadata: unknown): JsonObject | undefined {
  const json = toJson(metadata);
  if (!isJsonObject(json)) return undefined;
  const entries = Object.entries(json).filter(
    ([key, value]) => key !== '__proto__' && isJsonObject(value) && Object.keys(value).length > 0,
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Metadata of the beginning, the middle and the end of a part together; what comes later wins. */
export function mergeMetadata(first: JsonObject | undefined, later: unknown): JsonObject | undefined {
  const added = later === undefined ? undefined : keptMetadata(later);
  if (first === undefined || added === undefined) return added ?? first;
  const merged: Record<string, JsonValue> = { ...first };
  for (const [key, value] of Object.entries(added)) {
    const before = merged[key];
    merged[key] = isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value;
  }
  return merged;
}

/** A copy that is JSON: dates become text, what JSON cannot hold is left out. */
export function toJson(value: unknown): JsonValue | undefined {
  if (value === undefined) return undefined;
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    // Cyclic: nothing that could be kept or sent back.
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
