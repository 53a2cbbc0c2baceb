import { providerName } from '../sdk/metadata.ts';
import type { SchemaFacts } from './schema-facts.ts';

/** The support of a provider for response schemas, and the settings of its package. */
export interface OutputDialect {
  /** True if the root must be an object. */
  readonly objectsOnly: boolean;
  /**
   * Strict mode: `on` unless the option `strictJsonSchema` under one of these names disables it, `off` unless it
   * enables it; `always` if the package offers no choice, `body` if a member of the request body controls it.
   */
  readonly strict?: {
    readonly mode: 'on' | 'off' | 'always' | 'body';
    readonly options: readonly string[];
  };
  /** Traits that it neither supports nor ignores: such schemas are sent as text. */
  readonly refuses?: readonly SchemaTrait[];
  /** Traits that it handles wrongly, but for which it supports a tool with the response as its arguments. */
  readonly asTool?: readonly SchemaTrait[];
  /** True if it has a mode for arbitrary JSON. */
  readonly jsonMode: boolean;
}

export type SchemaTrait = keyof SchemaFacts;

function strictBy(...options: string[]): NonNullable<OutputDialect['strict']> {
  return { mode: 'on', options };
}

const openai: OutputDialect = {
  objectsOnly: true,
  strict: strictBy('openai'),
  refuses: ['hasOddReference'],
  jsonMode: true,
};
const anthropic: OutputDialect = {
  objectsOnly: true,
  refuses: ['hasOddReference'],
  asTool: ['hasOpenObject', 'hasTuple', 'isRecursive', 'hasOldDefinitions', 'hasUntyped'],
  jsonMode: false,
};
const google: OutputDialect = {
  objectsOnly: false,
  refuses: ['mustRecur', 'hasOddReference', 'hasNarrowedReference', 'hasOldDefinitions'],
  jsonMode: true,
};

const dialects: Readonly<Record<string, OutputDialect>> = {
  openai,
  azure: openai,
  groq: { ...openai, strict: strictBy('groq') },
  moonshotai: { ...openai, strict: strictBy('moonshotai') },
  mistral: { ...openai, strict: { mode: 'off', options: ['mistral'] } },
  huggingface: { ...openai, strict: { mode: 'off', options: ['huggingface'] } },
  xai: { ...openai, strict: { mode: 'always', options: [] } },
  'open-responses': { ...openai, strict: { mode: 'always', options: [] } },
  openrouter: { ...openai, strict: { mode: 'body', options: ['openrouter'] } },
  anthropic,
  'amazon-bedrock': anthropic,
  google,
  vertex: google,
  // Its documentation excludes open objects and recursion.
  perplexity: {
    objectsOnly: true,
    refuses: ['hasOpenObject', 'isRecursive', 'hasOddReference'],
    jsonMode: false,
  },
  cohere: { objectsOnly: true, refuses: ['hasOddReference'], jsonMode: true },
  // Its package adds the schema to the instructions itself.
  deepseek: { objectsOnly: true, jsonMode: true },
};

/** Returns the dialect of a model; behind a gateway, that of the model's provider. */
export function outputDialect(provider: string, modelId: string): OutputDialect {
  const name = providerName(provider);
  const maker = name === 'gateway' ? (modelId.split('/', 1)[0] ?? name) : name;
  const known = Object.hasOwn(dialects, maker) ? dialects[maker] : undefined;
  // Most servers with an OpenAI-compatible API accept any root.
  return known ?? { objectsOnly: false, strict: strictBy('openaiCompatible', maker), jsonMode: true };
}
