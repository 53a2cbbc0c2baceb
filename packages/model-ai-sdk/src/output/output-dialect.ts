import { providerName } from '../sdk/metadata.ts';
import type { SchemaFacts } from './schema-facts.ts';

/** What a provider takes for an answer in a given shape, and how its package is told. */
export interface OutputDialect {
  /** Whether the root has to be an object. */
  readonly objectsOnly: boolean;
  /**
   * Strict mode: `on` until the option `strictJsonSchema` under one of these names says otherwise, `off` until it does;
   * `always` where the package leaves no choice, `body` where a member of the body replaces what it sends.
   */
  readonly strict?: {
    readonly mode: 'on' | 'off' | 'always' | 'body';
    readonly options: readonly string[];
  };
  /** What of a schema it can neither say nor ignore: then the schema is sent in words. */
  readonly refuses?: readonly SchemaTrait[];
  /** What of a schema it would say wrongly, where it can offer a tool instead that takes the answer as its arguments. */
  readonly asTool?: readonly SchemaTrait[];
  /** Whether it has a mode for JSON of any shape. */
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
  openrouter: { ...openai, strict: { mode: 'body', options: ['openrouter'] } },
  anthropic,
  'amazon-bedrock': anthropic,
  google,
  vertex: google,
  // It documents that it takes neither.
  perplexity: {
    objectsOnly: true,
    refuses: ['hasOpenObject', 'isRecursive', 'hasOddReference'],
    jsonMode: false,
  },
  cohere: { objectsOnly: true, refuses: ['hasOddReference'], jsonMode: true },
  // Its package puts the schema into words by itself.
  deepseek: { objectsOnly: true, jsonMode: true },
};

/** The dialect of a model; behind a gateway, that of whoever made it. */
export function outputDialect(provider: string, modelId: string): OutputDialect {
  const name = providerName(provider);
  const maker = name === 'gateway' ? (modelId.split('/', 1)[0] ?? name) : name;
  const known = Object.hasOwn(dialects, maker) ? dialects[maker] : undefined;
  // Servers that copied OpenAI's interface: most of them take any root.
  return known ?? { objectsOnly: false, strict: strictBy('openaiCompatible', maker), jsonMode: true };
}
