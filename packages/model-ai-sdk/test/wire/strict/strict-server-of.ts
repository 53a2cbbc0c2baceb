const responses = 'OpenAI responses';

/**
 * The strict server for each provider. Providers that are not listed use that of OpenAI's chat API, and some have only
 * a lax server.
 */
const servers: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic messages',
  openai: responses,
  azure: responses,
  xai: responses,
  huggingface: responses,
  'open-responses': responses,
  google: 'Gemini',
  vertex: 'Gemini',
  'amazon-bedrock': 'Bedrock converse',
  gateway: 'none',
  cohere: 'none',
};

export function strictServerOf(provider: string): string {
  return servers[provider] ?? 'OpenAI chat completions';
}
