import { definePlugin } from '@shallot/core';
import { callMatcherKey, checkToolPatterns, pluginStatusKey, type PluginSetup } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { backgroundToolNames, backgroundTools } from './background-tools.ts';
import { loadDefinitions } from './load-definitions.ts';
import { subagentsOptions, type Definition, type Settings } from './options.ts';
import { taskMatcher } from './task-matcher.ts';
import { taskTool, type Subagent } from './task-tool.ts';

const instructions =
  'You do one task for another agent, which sees only your last message. Do the task to its end, then answer with everything that it needs to know.';

/** Gives the model a tool that delegates tasks to other agents, which run behind the same gates. */
export const subagents = definePlugin({
  name: 'subagents',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 44,
  options: subagentsOptions,
  async setup({ id, options, files, log, tools, provide, onReady, resolveModel }) {
    const definitions = await loadDefinitions(options, files, log);
    const agents = await Promise.all(
      definitions.map((definition) => subagentOf(definition, options, resolveModel)),
    );
    tools.add([taskTool(options, agents), ...backgroundTools(options)]);
    provide(
      callMatcherKey(id),
      taskMatcher(
        options.toolName,
        definitions.map(({ name }) => name),
      ),
    );
    provide(pluginStatusKey(id), { lines: () => definitions.map(statusOf) });
    onReady((agent) => {
      for (const { name, tools: patterns = [], grants = [] } of definitions) {
        const named = patterns.map((pattern) => pattern.replace(/^!/, ''));
        const naming = { plugin: 'subagents', what: `The agent "${name}"`, log };
        checkToolPatterns([...named, ...grants], agent, naming);
      }
    });
  },
});

async function subagentOf(
  { description, model, tools, ...definition }: Definition,
  { toolName }: Settings,
  resolveModel: PluginSetup['resolveModel'],
): Promise<Subagent> {
  const resolved = model === undefined ? undefined : await resolveModel(model);
  const agent = Object.freeze({
    instructions,
    ...definition,
    tools: tools ?? [toolName, ...backgroundToolNames(toolName)].map((name) => `!${name}`),
    ...(resolved === undefined ? {} : { model: resolved }),
  });
  return { agent, description };
}

function statusOf({ name, tools, grants = [] }: Definition): string {
  const what =
    tools === undefined ? 'the tools that its parent is offered' : `tools ${tools.join(', ') || 'none'}`;
  return grants.length === 0
    ? `agent ${name}: ${what}`
    : `agent ${name}: ${what}; granted ${grants.join(', ')}`;
}
