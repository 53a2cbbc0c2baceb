import { outputKinds, type OutputKind } from './output-schemas.ts';
import { providerFacts } from './provider-facts.ts';
import type { SentSchema } from './sent-schema.ts';

type How = Exclude<SentSchema['how'], 'nothing'>;

/** The form in which schemas of each kind are sent; `other` is for the remaining kinds. */
type Ways = Readonly<Partial<Record<OutputKind, How>>> & { readonly other: How };

const strict: Ways = { members: 'strict', union: 'strict', recursion: 'strict', other: 'schema' };
const schema: Ways = { other: 'schema' };
const anthropic: Ways = {
  record: 'tool',
  recursion: 'tool',
  'recursion that ends': 'tool',
  tuple: 'tool',
  other: 'schema',
};
const gemini: Ways = { recursion: 'words', other: 'schema' };
const words: Ways = { other: 'words' };

/** The forms for each provider. The wire tests compare them with the requests that are sent. */
const ways: Readonly<Record<string, Ways>> = {
  anthropic,
  'amazon-bedrock': anthropic,
  google: gemini,
  vertex: gemini,
  mistral: schema,
  cohere: schema,
  // Behind the gateway, the model's vendor decides.
  gateway: schema,
  huggingface: schema,
  xai: { ...strict, other: 'words' },
  'open-responses': { ...strict, other: 'words' },
  deepseek: words,
  togetherai: words,
  vercel: words,
  perplexity: { record: 'words', recursion: 'words', 'recursion that ends': 'words', other: 'schema' },
};

export function wayOf(provider: string, kind: OutputKind): How {
  const own = ways[provider] ?? strict;
  return own[kind] ?? own.other;
}

/** Returns the guide's table, as Markdown. */
export function outputTable(): string {
  const rows = providerFacts.map(({ provider }) => {
    const cells = outputKinds.map((kind): string => wayOf(provider, kind));
    cells.unshift(`\`${provider}\``);
    return cells;
  });
  const head = ['provider', ...outputKinds];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
