import { providerFacts, type ProviderFacts } from './provider-facts.ts';
import { strictServerOf } from './strict/strict-server-of.ts';

const columns = [
  'provider',
  'package',
  'key',
  'config line',
  'tools',
  'reasoning',
  'images',
  'structured output',
  'sources',
  'strict server',
];

const words = { untried: 'not tried', whole: 'not streamed' } as const;

/** Returns the guide's table, as Markdown: the results of the wire tests for each provider. */
export function providerTable(): string {
  const rows = [columns, columns.map(() => '---'), ...providerFacts.map(rowOf)];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function rowOf(facts: ProviderFacts): string[] {
  const { provider, package: name, key, line, supports } = facts;
  const strict = strictServerOf(provider);
  const { tools, reasoning, images, sources } = supports;
  const tried = [tools, reasoning, images, supports['structured output'], sources].map((works) =>
    typeof works === 'string' ? words[works] : works ? 'yes' : 'no',
  );
  return [
    `\`${provider}\``,
    `\`${name}\``,
    key === '' ? 'none' : `\`${key}\``,
    `\`${line}\``,
    ...tried,
    strict === 'none' ? 'no, a lax one' : strict,
  ];
}
