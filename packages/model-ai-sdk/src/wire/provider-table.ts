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
];

/** The table of the guide, as Markdown: what the wire tests have tried of each provider. */
export function providerTable(): string {
  const rows = [columns, columns.map(() => '---'), ...providerFacts.map(rowOf)];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function rowOf({ provider, package: name, key, line, supports }: ProviderFacts): string[] {
  const { tools, reasoning, images } = supports;
  const tried = [tools, reasoning, images, supports['structured output']].map((works) =>
    works === 'untried' ? 'not tried' : works ? 'yes' : 'no',
  );
  return [`\`${provider}\``, `\`${name}\``, key === '' ? 'none' : `\`${key}\``, `\`${line}\``, ...tried];
}
