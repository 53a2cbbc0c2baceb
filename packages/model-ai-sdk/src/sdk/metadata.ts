import type { JsonObject, JsonValue } from '@shallot/core';

/** Provider metadata of the AI SDK, by the provider that understands it. */
export type ProviderMetadata = Record<string, JsonObject>;

/** The metadata key with the provider that made a message. */
export const originKey = 'ai-sdk';

/** Returns the provider's name, such as `anthropic` for `anthropic.messages`. */
export function providerName(provider: string): string {
  return provider.split('.', 1)[0] ?? provider;
}

/**
 * Returns a predicate for the metadata keys of a provider: `amazon-bedrock` reads `bedrock` and `amazonBedrock`, a
 * custom server called `my-server` reads `myServer`.
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

/** Returns the metadata for this provider; undefined if there is none. */
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

/** Returns the provider that made a message; undefined if unknown. */
export function originOf(metadata: JsonObject | undefined): string | undefined {
  const origin = metadata?.[originKey];
  const provider = isJsonObject(origin) ? origin['provider'] : undefined;
  return typeof provider === 'string' ? provider : undefined;
}

/** Returns the provider metadata of a part as JSON; undefined if there is none. */
export function keptMetadata(metadata: unknown): JsonObject | undefined {
  const json = toJson(metadata);
  if (!isJsonObject(json)) return undefined;
  const entries = Object.entries(json).filter(
    ([key, value]) => key !== '__proto__' && isJsonObject(value) && Object.keys(value).length > 0,
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Merges the metadata of the start, middle and end of a part; later values win. */
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

/** Converts a value to JSON: dates become strings, unsupported values are dropped; undefined for cyclic values. */
export function toJson(value: unknown): JsonValue | undefined {
  if (value === undefined) return undefined;
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    // Cyclic values cannot be stored or sent back.
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
