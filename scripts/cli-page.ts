import { commandTable } from '../packages/cli/src/command-table.ts';
import { markdownTable } from './markdown-table.ts';

/** Returns the page of the command with generated tables of how each command is called and of its options. */
export function cliPage(page: string): string {
  const commands = commandTable();
  const usages = [...commands.map(({ usage }) => usage), 'shallot --help', 'shallot --version'];
  const sections = commands.map(({ name, description, rows }) => {
    const table = markdownTable(
      ['argument or option', 'meaning'],
      rows.map(({ term, meaning }) => [`\`${term}\``, meaning]),
    );
    return [`### ${name}`, '', description, '', table].join('\n');
  });
  return replaceBetween(
    replaceBetween(page, 'usage', ['```sh', ...usages, '```'].join('\n')),
    'options',
    sections.join('\n\n'),
  );
}

function replaceBetween(page: string, name: string, content: string): string {
  const block = new RegExp(`(<!-- ${name} -->\n).*?(\n<!-- end -->)`, 's');
  return page.replace(block, (_, start: string, end: string) => `${start}\n${content}\n${end}`);
}
