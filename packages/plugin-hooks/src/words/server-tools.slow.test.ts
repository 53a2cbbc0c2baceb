import { definePlugin, defineTool } from '@shallot/core';
import { toolServersKey } from '@shallot/core/plugin';
import { expect, it } from 'vitest';

import { hookedAgent, loggedIn, script, stepsOf } from '../../test/hooked-agent.ts';

const toolNamed = (name: string) =>
  defineTool({ name, description: 'Acts.', input: { type: 'object' }, execute: () => 'done' });

/** Two tools of a server, one of which has a name of its own here. */
const github = definePlugin({
  name: 'servers',
  setup({ id, provide, tools }) {
    tools.add([toolNamed('github_get'), toolNamed('open_issue'), toolNamed('github_of_nobody')]);
    const names = new Map([
      ['github_get', 'get'],
      ['open_issue', 'create_issue'],
    ]);
    provide(toolServersKey(id), {
      serverOf(tool) {
        const name = names.get(tool);
        return name === undefined ? undefined : { server: 'github', name };
      },
    });
  },
});

it.each([
  ['mcp__github', ['mcp__github__get', 'mcp__github__create_issue']],
  ['mcp__github__create_*', ['mcp__github__create_issue']],
  ['mcp__*__get', ['mcp__github__get']],
  ['open_issue', ['mcp__github__create_issue']],
])('A tool of a server has the name of the format, for scripts and for %s', async (match, seen) => {
  const events = { PreToolUse: [{ match, command: script('log-everything.sh') }] };
  const calls = ['github_get', 'open_issue', 'github_of_nobody'].map((name) => ({ name, args: {} }));
  await using tried = await hookedAgent(events, { plugins: [github()], steps: stepsOf(calls) });
  await tried.agent.run('Go.');
  expect(loggedIn(tried.root).map((event) => event['tool_name'])).toEqual(seen);
});
