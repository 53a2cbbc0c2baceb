import { strictVendors } from './strict/strict-vendors.ts';
import { standingOf } from './strict/vendor-rule.ts';

/** Returns the table of what strict servers refuse, as Markdown. */
export function rulesTable(): string {
  const rows = strictVendors.flatMap(({ name, rules }) =>
    rules.map((rule) => [
      name,
      `\`${rule.message.replaceAll('`', "'")}\``,
      `[${standingOf(rule)}](${rule.source})`,
    ]),
  );
  const head = ['interface', 'refusal', 'ground'];
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}
