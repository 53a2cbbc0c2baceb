/**
 * The context sizes of model families by name prefix, in tokens, from the data of @pydantic/genai-prices 0.1.8
 * (November 2026); a test compares them. The longest matching prefix wins. For families with several sizes it is the
 * smallest: an underestimate costs a summary, an overestimate costs the response.
 */
const families: readonly (readonly [string, number])[] = [
  ['claude-', 200_000],
  ['claude-fable-5', 1_000_000],
  ['claude-opus-4-6', 1_000_000],
  ['claude-opus-4-7', 1_000_000],
  ['claude-opus-4-8', 1_000_000],
  ['claude-opus-5', 1_000_000],
  ['claude-sonnet-4-6', 1_000_000],
  ['claude-sonnet-5', 1_000_000],
  ['gpt-3.5-turbo', 16_385],
  ['gpt-4', 8192],
  ['gpt-4-32k', 32_000],
  ['gpt-4-turbo', 128_000],
  ['gpt-4-vision', 128_000],
  ['gpt-4o', 128_000],
  ['gpt-4.1', 1_000_000],
  ['gpt-5', 400_000],
  ['gpt-5-chat', 128_000],
  ['gpt-5.1-chat', 128_000],
  ['gpt-5.2-chat', 128_000],
  ['gpt-5.3', 128_000],
  ['gpt-5.3-codex', 400_000],
  ['gpt-oss-', 131_072],
  ['o1', 128_000],
  ['o3', 200_000],
  ['o4-mini', 200_000],
  ['gemini-1.5-', 1_000_000],
  ['gemini-2.0-flash', 1_000_000],
  ['gemini-2.5-flash', 1_000_000],
  ['gemini-2.5-pro', 1_000_000],
  ['gemini-3', 1_000_000],
  ['grok-3', 131_072],
  ['grok-4', 256_000],
  ['grok-4-fast', 2_000_000],
  ['grok-4-1-fast', 2_000_000],
  ['grok-4.', 500_000],
  ['grok-4.2', 1_000_000],
  ['grok-4.3', 1_000_000],
  ['amazon.nova-micro', 128_000],
  ['amazon.nova-lite', 300_000],
  ['amazon.nova-pro', 300_000],
];

/** Models with these words are of other kinds, and have other sizes. */
const others = /(?:audio|realtime|transcribe|tts|search-preview|live|image|embed)/;

/** Returns the context size of a model by its name; undefined if it is unknown. */
export function contextTokensOf(model: string): number | undefined {
  if (others.test(model)) return undefined;
  // Bedrock: `eu.anthropic.claude-…`.
  const name = model.replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '').replace(/^(?:us|eu|apac|global)\./, '');
  let best: readonly [string, number] | undefined;
  for (const family of families) {
    if (name.startsWith(family[0]) && family[0].length > (best?.[0].length ?? 0)) best = family;
  }
  return best?.[1];
}
