import type { JsonObject } from '@shallot/core';

type ProviderOptions = Readonly<Record<string, JsonObject>>;

/**
 * The options of a request, by provider. OpenAI's Responses interface would keep each answer for 30 days, and the package then
 * names it instead of repeating it: what a layer changes in the history would never be seen, and older sessions could not
 * go on. So nothing is kept there, unless the settings want it, or name what is kept there. `added` gives way to the settings.
 */
export function providerOptions(
  provider: string,
  settings: ProviderOptions | undefined,
  added?: ProviderOptions,
): ProviderOptions | undefined {
  const given = merged(settings, added);
  if (!/^(?:openai|azure)\.responses$/.test(provider)) return given;
  const openai: JsonObject = { ...given?.['openai'], ...given?.['azure'] };
  if (['store', 'conversation', 'previousResponseId'].some((name) => name in openai)) return given;
  return { ...given, openai: { ...given?.['openai'], store: false } };
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
