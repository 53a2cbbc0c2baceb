import type { SearchProtocol } from './searched-answer.ts';

/** The facts that the guide states about a provider. Each is tested with a config. */
export interface ProviderFacts {
  /** The name of the provider in a config. */
  readonly provider: string;
  readonly package: string;
  /** The environment variable of the key; empty if no key is needed. */
  readonly key: string;
  /** The `model` line of a config, for the guide. */
  readonly line: string;
  /** Returns the config's `model` for the provider on loopback, and environment variables in addition to the key. */
  readonly onLoopback: (url: string) => {
    readonly model: unknown;
    readonly env?: Readonly<Record<string, string>>;
  };
  /** Features that work through the provider's package. The tests check each against a server on loopback. */
  readonly supports: Readonly<Record<Feature, boolean>> & {
    /** `untried` if the mock cannot produce what the package reads. */
    readonly reasoning: boolean | 'untried';
    /**
     * `whole` if the package reports sources only in answers that are not streamed; `untried` if no example of an
     * answer with sources is known.
     */
    readonly sources: boolean | 'whole' | 'untried';
  };
  /** The protocol of an answer with sources. Default: `chat`. */
  readonly searched?: SearchProtocol;
  /** Adapts an answer of the mock to the format that the package reads; `reasons` adapts only the reasoning. */
  readonly fits?: (body: string) => string;
  readonly reasons?: (body: string) => string;
}

export const features = ['tools', 'images', 'structured output'] as const;
export type Feature = (typeof features)[number];

const all = {
  tools: true,
  reasoning: true,
  images: true,
  'structured output': true,
  sources: false,
} as const;
/** The features of providers that can search the web, and report its pages as sources. */
const searching = { ...all, sources: true } as const;
const withStatus = (body: string): string =>
  body.replaceAll('"type":"reasoning",', '"type":"reasoning","status":"completed",');

/** Renames the reasoning for providers that use this name. */
const asReasoning = (body: string): string => body.replaceAll('"reasoning_content"', '"reasoning"');

export const providerFacts: readonly ProviderFacts[] = [
  {
    provider: 'anthropic',
    package: '@ai-sdk/anthropic',
    key: 'ANTHROPIC_API_KEY',
    line: 'model: anthropic/claude-sonnet-5',
    onLoopback: (url) => ({ model: 'anthropic/claude-sonnet-5', env: { ANTHROPIC_BASE_URL: `${url}/v1` } }),
    supports: searching,
    searched: 'anthropic',
  },
  {
    provider: 'openai',
    package: '@ai-sdk/openai',
    key: 'OPENAI_API_KEY',
    line: 'model: openai/gpt-5',
    onLoopback: (url) => ({ model: 'openai/gpt-5', env: { OPENAI_BASE_URL: `${url}/v1` } }),
    supports: searching,
    searched: 'responses',
  },
  {
    provider: 'google',
    package: '@ai-sdk/google',
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    line: 'model: google/gemini-3-flash',
    onLoopback: (url) => ({
      model: { provider: 'google', model: 'gemini-3-flash', baseURL: `${url}/v1beta` },
    }),
    supports: searching,
    searched: 'gemini',
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
    supports: searching,
    searched: 'responses',
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
    supports: { ...all, sources: 'untried' },
  },
  {
    provider: 'azure',
    package: '@ai-sdk/azure',
    key: 'AZURE_API_KEY',
    line: 'model: azure/my-deployment',
    onLoopback: (url) => ({ model: { provider: 'azure', model: 'my-deployment', baseURL: `${url}/openai` } }),
    supports: searching,
    searched: 'responses',
  },
  {
    provider: 'vertex',
    package: '@ai-sdk/google-vertex',
    key: 'GOOGLE_VERTEX_API_KEY',
    line: 'model: vertex/gemini-3-flash',
    onLoopback: (url) => ({
      model: { provider: 'vertex', model: 'gemini-3-flash', baseURL: `${url}/v1beta` },
    }),
    supports: searching,
    searched: 'gemini',
  },
  {
    provider: 'gateway',
    package: '@ai-sdk/gateway',
    key: 'AI_GATEWAY_API_KEY',
    line: 'model: gateway/openai/gpt-5',
    onLoopback: (url) => ({ model: { provider: 'gateway', model: 'openai/gpt-5', baseURL: `${url}/v4/ai` } }),
    supports: searching,
    searched: 'gateway',
  },
  {
    provider: 'openrouter',
    package: '@openrouter/ai-sdk-provider',
    key: 'OPENROUTER_API_KEY',
    line: 'model: openrouter/anthropic/claude-sonnet-5',
    onLoopback: (url) => ({
      model: { provider: 'openrouter', model: 'anthropic/claude-sonnet-5', baseURL: `${url}/v1` },
    }),
    supports: searching,
    reasons: asReasoning,
  },
  {
    provider: 'groq',
    package: '@ai-sdk/groq',
    key: 'GROQ_API_KEY',
    line: 'model: groq/openai/gpt-oss-120b',
    onLoopback: (url) => ({
      model: { provider: 'groq', model: 'openai/gpt-oss-120b', baseURL: `${url}/v1` },
    }),
    supports: all,
    reasons: asReasoning,
  },
  {
    provider: 'cohere',
    package: '@ai-sdk/cohere',
    key: 'COHERE_API_KEY',
    line: 'model: cohere/command-a-03-2025',
    onLoopback: (url) => ({
      model: { provider: 'cohere', model: 'command-a-03-2025', baseURL: `${url}/v2` },
    }),
    // The mock sends reasoning as plain text.
    supports: { ...all, reasoning: 'untried', sources: 'whole' },
    searched: 'cohere',
    fits: (body) => body.replaceAll('"content":{"type":"text"}', '"content":{"type":"text","text":""}'),
  },
  {
    provider: 'deepseek',
    package: '@ai-sdk/deepseek',
    key: 'DEEPSEEK_API_KEY',
    line: 'model: deepseek/deepseek-chat',
    onLoopback: (url) => ({ model: { provider: 'deepseek', model: 'deepseek-chat', baseURL: `${url}/v1` } }),
    supports: all,
  },
  {
    provider: 'togetherai',
    package: '@ai-sdk/togetherai',
    key: 'TOGETHER_API_KEY',
    line: 'model: togetherai/moonshotai/Kimi-K2-Instruct',
    onLoopback: (url) => ({
      model: { provider: 'togetherai', model: 'moonshotai/Kimi-K2-Instruct', baseURL: `${url}/v1` },
    }),
    supports: all,
  },
  {
    provider: 'fireworks',
    package: '@ai-sdk/fireworks',
    key: 'FIREWORKS_API_KEY',
    line: 'model: fireworks/accounts/fireworks/models/kimi-k2-instruct',
    onLoopback: (url) => ({
      model: {
        provider: 'fireworks',
        model: 'accounts/fireworks/models/kimi-k2-instruct',
        baseURL: `${url}/v1`,
      },
    }),
    supports: all,
  },
  {
    provider: 'cerebras',
    package: '@ai-sdk/cerebras',
    key: 'CEREBRAS_API_KEY',
    line: 'model: cerebras/gpt-oss-120b',
    onLoopback: (url) => ({ model: { provider: 'cerebras', model: 'gpt-oss-120b', baseURL: `${url}/v1` } }),
    supports: all,
  },
  {
    provider: 'perplexity',
    package: '@ai-sdk/perplexity',
    key: 'PERPLEXITY_API_KEY',
    line: 'model: perplexity/sonar-pro',
    onLoopback: (url) => ({ model: { provider: 'perplexity', model: 'sonar-pro', baseURL: `${url}/v1` } }),
    supports: { ...searching, tools: false, reasoning: false },
  },
  {
    provider: 'deepinfra',
    package: '@ai-sdk/deepinfra',
    key: 'DEEPINFRA_API_KEY',
    line: 'model: deepinfra/openai/gpt-oss-120b',
    onLoopback: (url) => ({
      model: { provider: 'deepinfra', model: 'openai/gpt-oss-120b', baseURL: `${url}/v1` },
    }),
    supports: all,
  },
  {
    provider: 'moonshotai',
    package: '@ai-sdk/moonshotai',
    key: 'MOONSHOT_API_KEY',
    line: 'model: moonshotai/kimi-k2-0905-preview',
    onLoopback: (url) => ({
      model: { provider: 'moonshotai', model: 'kimi-k2-0905-preview', baseURL: `${url}/v1` },
    }),
    supports: all,
  },
  {
    provider: 'huggingface',
    package: '@ai-sdk/huggingface',
    key: 'HUGGINGFACE_API_KEY',
    line: 'model: huggingface/openai/gpt-oss-120b',
    onLoopback: (url) => ({
      model: { provider: 'huggingface', model: 'openai/gpt-oss-120b', baseURL: `${url}/v1` },
    }),
    supports: { ...all, tools: false, reasoning: 'untried', sources: 'untried' },
    fits: (body) =>
      body.replace(
        /^\{"id"/,
        '{"error":null,"instructions":null,"max_output_tokens":null,"metadata":null,"tool_choice":"auto","tools":[],"temperature":1,"top_p":1,"id"',
      ),
  },
  {
    provider: 'vercel',
    package: '@ai-sdk/vercel',
    key: 'VERCEL_API_KEY',
    line: 'model: vercel/v0-1.5-md',
    onLoopback: (url) => ({ model: { provider: 'vercel', model: 'v0-1.5-md', baseURL: `${url}/v1` } }),
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
  {
    provider: 'open-responses',
    package: '@ai-sdk/open-responses',
    key: '',
    line: 'model: { provider: open-responses, baseURL: "http://localhost:1234/v1", model: my-model }',
    onLoopback: (url) => ({
      model: {
        provider: 'open-responses',
        model: 'my-model',
        baseURL: `${url}/v1`,
        apiKey: { $env: 'MY_KEY' },
      },
      env: { MY_KEY: 'sk-wire-0123456789abcdef' },
    }),
    supports: { ...all, sources: 'untried' },
  },
];
