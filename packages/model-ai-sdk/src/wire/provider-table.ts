import { providerFacts, type ProviderFacts } from './provider-facts.ts';

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
];

const words = { untried: 'not tried', whole: 'not streamed' } as const;

/** The table of the guide, as Markdown: what the wire tests have tried of each provider. */
export function providerTable(): string {
  const rows = [columns, columns.map(() => '---'), ...providerFacts.map(rowOf)];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function rowOf({ provider, package: name, key, line, supports }: ProviderFacts): string[] {
  const { tools, reasoning, images, sources } = supports;
  const tried = [tools, reasoning, images, supports['structured output'], sources].map((works) =>
    typeof works === 'string' ? words[works] : works ? 'yes' : 'no',
  );
  return [`\`${provider}\``, `\`${name}\``, key === '' ? 'none' : `\`${key}\``, `\`${line}\``, ...tried];
}
