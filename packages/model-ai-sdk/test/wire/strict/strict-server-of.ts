const responses = 'OpenAI responses';

/** The strict servers that stand for providers: most speak as OpenAI's chat does, and some have a lax server alone. */
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
