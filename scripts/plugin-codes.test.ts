import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { root } from './workspace.ts';

const section = /^## Plugins for tools$(.*?)^## Testing$/ms;

it.each(['shell', 'mcp', 'filesystem', 'ask-user', 'fetch', 'limits', 'resilience'])(
  'the page of errors has every code of the plugin %s',
  (name) => {
    const files = globSync(`packages/plugin-${name}/src/**/*.ts`, { cwd: root });
    const sources = files.filter((file) => !file.includes('test')).map((file) => read(file));
    const codes = sources.flatMap((text) => text.match(new RegExp(`(?<=')${name}/[A-Z_]+(?=')`, 'g')) ?? []);
    const [, table = ''] = section.exec(read('docs/reference/errors.md')) ?? [];
    expect(codes.filter((code) => !table.includes(`\`${code}\``))).toEqual([]);
    expect(codes.length > 0).toBe(table.includes(`\`${name}/`));
  },
);

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
