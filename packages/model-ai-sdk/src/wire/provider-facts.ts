/** What the guide says of a provider, each of which is tried through a config. */
export interface ProviderFacts {
  /** As a config names it. */
  readonly provider: string;
  readonly package: string;
  /** The environment variable of the key; empty where none is needed. */
  readonly key: string;
  /** A `model` for the guide. */
  readonly line: string;
  /** The same provider on loopback: `model` of a config, and variables beside the key. */
  readonly onLoopback: (url: string) => {
    readonly model: unknown;
    readonly env?: Readonly<Record<string, string>>;
  };
  readonly supports: Readonly<Record<Feature, boolean>>;
  /** Makes what the mock says fit what the package wants to read. */
  readonly reasons?: (body: string) => string;
}

export const features = ['tools', 'reasoning', 'images', 'structured output'] as const;
export type Feature = (typeof features)[number];

const all = { tools: true, reasoning: true, images: true, 'structured output': true } as const;
const withStatus = (body: string): string =>
  body.replaceAll('"type":"reasoning",', '"type":"reasoning","status":"completed",');

export const providerFacts: readonly ProviderFacts[] = [
  {
    provider: 'anthropic',
    package: '@ai-sdk/anthropic',
    key: 'ANTHROPIC_API_KEY',
    line: 'model: anthropic/claude-sonnet-5',
    onLoopback: (url) => ({ model: 'anthropic/claude-sonnet-5', env: { ANTHROPIC_BASE_URL: `${url}/v1` } }),
    supports: all,
  },
  {
    provider: 'openai',
    package: '@ai-sdk/openai',
    key: 'OPENAI_API_KEY',
    line: 'model: openai/gpt-5',
    onLoopback: (url) => ({ model: 'openai/gpt-5', env: { OPENAI_BASE_URL: `${url}/v1` } }),
    supports: all,
  },
  {
    provider: 'google',
    package: '@ai-sdk/google',
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    line: 'model: google/gemini-3-flash',
    onLoopback: (url) => ({
      model: { provider: 'google', model: 'gemini-3-flash', baseURL: `${url}/v1beta` },
    }),
    supports: all,
  },
  {
    provider: 'mistral',
    package: '@ai-sdk/mistral',
    key: 'MISTRAL_API_KEY',
    line: 'model: mistral/mistral-large-latest',
    onLoopback: (url) => ({
      model: { provider: 'mistral', model: 'mistral-large-latest', baseURL: `${url}/v1` },
    }),
    supports: all,
    reasons: (body) =>
      body.replaceAll(
        /"content":"([^"]+)"/g,
        '"content":[{"type":"thinking","thinking":[{"type":"text","text":"Nine days is a habit."}]},{"type":"text","text":"$1"}]',
      ),
  },
  {
    provider: 'xai',
    package: '@ai-sdk/xai',
    key: 'XAI_API_KEY',
    line: 'model: xai/grok-4',
    onLoopback: (url) => ({ model: { provider: 'xai', model: 'grok-4', baseURL: `${url}/v1` } }),
    supports: all,
    reasons: withStatus,
  },
  {
    provider: 'amazon-bedrock',
    package: '@ai-sdk/amazon-bedrock',
    key: 'AWS_BEARER_TOKEN_BEDROCK',
    line: 'model: amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
    onLoopback: (url) => ({
      model: { provider: 'amazon-bedrock', model: 'anthropic.claude-sonnet-4-5-20250929-v1:0', baseURL: url },
      env: { AWS_REGION: 'eu-central-1' },
    }),
    supports: all,
  },
  {
    provider: 'azure',
    package: '@ai-sdk/azure',
    key: 'AZURE_API_KEY',
    line: 'model: azure/my-deployment',
    onLoopback: (url) => ({ model: { provider: 'azure', model: 'my-deployment', baseURL: `${url}/openai` } }),
    supports: all,
  },
  {
    provider: 'ollama',
    package: '@ai-sdk/openai-compatible',
    key: '',
    line: 'model: ollama/qwen3',
    onLoopback: (url) => ({ model: { provider: 'ollama', model: 'qwen3', baseURL: `${url}/v1` } }),
    supports: all,
  },
  {
    provider: 'openai-compatible',
    package: '@ai-sdk/openai-compatible',
    key: '',
    line: 'model: { provider: openai-compatible, baseURL: "http://localhost:8000/v1", model: my-model }',
    onLoopback: (url) => ({
      model: {
        provider: 'openai-compatible',
        model: 'my-model',
        baseURL: `${url}/v1`,
        apiKey: { $env: 'MY_KEY' },
      },
      env: { MY_KEY: 'sk-wire-0123456789abcdef' },
    }),
    supports: all,
  },
];
