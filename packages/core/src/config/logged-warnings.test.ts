import { expect, it } from 'vitest';

import { loggedWarnings } from './logged-warnings.ts';

const at = { file: '/a.yaml', line: 3, column: 5 };

it('a line of the log with a code of its plugin is a warning at the entry of the plugin', () => {
  const line = JSON.stringify({ plugin: 'mcp', code: 'mcp/TOOL_ODD', msg: 'The tool is odd.' });
  const [warning] = loggedWarnings([line], (plugin) => (plugin === 'mcp' ? at : undefined));
  expect(warning).toMatchObject({ code: 'mcp/TOOL_ODD', plugin: 'mcp', message: 'The tool is odd.', at });
});

it.each([
  { code: 'mcp/TOOL', msg: 'no plugin' },
  { plugin: 'mcp', msg: 'no code' },
  { plugin: 'mcp', code: 5, msg: 'a number' },
  { plugin: 'mcp', code: 'TOOL', msg: 'a code of the core' },
  { plugin: 'mcp', code: 'mcp/tool', msg: 'no code' },
  { plugin: 'mcp', code: 'mcp/TOOL' },
])('any other line is no warning: %j', (line) => {
  expect(loggedWarnings([JSON.stringify(line)], () => at)).toEqual([]);
});
