import type { JsonObject, JsonValue } from '@shallot/core';

import { openAiName } from '../sdk/provider-names.ts';

type ProviderOptions = Readonly<Record<string, JsonObject>>;

const thoughts = 'reasoning.encrypted_content';

/**
 * Returns the provider options of a request. OpenAI's Responses API would store each response for 30 days, and the
 * package would refer to it by id: changes that a layer makes to the history would be ignored, and older sessions could
 * not continue. So storage is disabled unless the settings enable or use it; with `wantsThoughts`, encrypted reasoning
 * is requested, to be sent back. The settings override `added`.
 */
export function providerOptions(
  provider: string,
  settings: ProviderOptions | undefined,
  { added, wantsThoughts = false }: { added?: ProviderOptions | undefined; wantsThoughts?: boolean } = {},
): ProviderOptions | undefined {
  const given = merged(settings, added);
  if (!/^(?:openai|azure)\.responses$/.test(provider)) return given;
  const name = openAiName(provider, given);
  const own = given?.[name] ?? {};
  if (['store', 'conversation', 'previousResponseId'].some((key) => key in own)) return given;
  const { include } = own;
  const included = [...(Array.isArray(include) ? (include as readonly JsonValue[]) : []), thoughts];
  return { ...given, [name]: { ...own, store: false, ...(wantsThoughts ? { include: included } : {}) } };
}

function merged(
  settings: ProviderOptions | undefined,
  added: ProviderOptions | undefined,
): ProviderOptions | undefined {
  if (added === undefined) return settings;
  const entries = Object.entries(added).map(
    ([name, value]) => [name, { ...value, ...settings?.[name] }] as const,
  );
  return { ...settings, ...Object.fromEntries(entries) };
}
