import { findingTable } from '../packages/cli/src/doctor/finding-table.ts';
import { markdownTable } from './markdown-table.ts';

/** Returns the page of findings with the generated table of all of them. */
export function doctorPage(page: string): string {
  const table = markdownTable(
    ['code', 'what it means', 'what to do'],
    Object.entries(findingTable).map(([code, { means, fix }]) => [
      `\`${code}\``,
      means,
      fix ?? 'The message says it.',
    ]),
  );
  return page.replace(
    /(<!-- findings -->\n).*(\n<!-- end -->)/s,
    (_, start: string, end: string) => `${start}\n${table}\n${end}`,
  );
}
