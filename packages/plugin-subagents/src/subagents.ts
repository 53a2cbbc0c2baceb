import { definePlugin, ShallotError } from '@shallot/core';
import {
  callMatcherKey,
  checkToolPatterns,
  fitsPattern,
  pluginStatusKey,
  schemaCheck,
  type PluginSetup,
  type ReadyAgent,
} from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { backgroundTools, ownNames } from './background-tools.ts';
import { loadDefinitions, type LoadedDefinition } from './load-definitions.ts';
import { subagentsOptions, toolOf, type Definition, type Settings } from './options.ts';
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
    let ready: ReadyAgent | undefined;
    const readSkill: ReadyAgent['skillText'] = async (run, name) => ready?.skillText(run, name);
    tools.add([taskTool(options, agents, readSkill), ...backgroundTools(options)]);
    provide(
      callMatcherKey(id),
      taskMatcher(
        options.toolName,
        definitions.map(({ name }) => name),
      ),
    );
    provide(pluginStatusKey(id), {
      lines: () => definitions.map(statusOf),
      notes: () => definitions.flatMap(noteOfGrants),
    });
    onReady((agent) => {
      ready = agent;
      for (const definition of definitions) checkTools(definition, agent, log);
    });
  },
});

/**
 * Checks the tools of a definition. @throws `subagents/UNKNOWN_TOOL`; a tool by a name of Claude Code that the agent
 * lacks is only logged
 */
function checkTools(
  { name, tools = [], grants = [], foreign }: LoadedDefinition,
  agent: ReadyAgent,
  log: PluginSetup['log'],
): void {
  const named = Map.groupBy(
    tools.map((pattern) => pattern.replace(/^!/, '')),
    (pattern) => foreign?.get(pattern),
  );
  const naming = { plugin: 'subagents', what: `The agent "${name}"`, log };
  const granted = grants.map(toolOf);
  checkToolPatterns([...(named.get(undefined) ?? []), ...granted], agent, naming);
  for (const [theirs, patterns] of named) {
    if (theirs === undefined) continue;
    const isThere = patterns.some((pattern) => agent.tools.some((tool) => fitsPattern(pattern, tool.name)));
    if (!isThere)
      log.warn(
        { tool: theirs },
        `The agent "${name}" goes without ${theirs}: no tool is named ${patterns[0]}`,
      );
  }
}

async function subagentOf(
  { description, model, tools, skills = [], foreign: _foreign, ...definition }: LoadedDefinition,
  { toolName }: Settings,
  resolveModel: PluginSetup['resolveModel'],
): Promise<Subagent> {
  const unreadable = definition.output && schemaCheck(definition.output);
  if (typeof unreadable === 'string')
    throw new ShallotError('subagents/DEFINITION_INVALID', {
      message: `The output of the agent "${definition.name}" cannot be used: ${unreadable}.`,
    });
  const resolved = model === undefined ? undefined : await resolveModel(model);
  const agent = Object.freeze({
    instructions,
    ...definition,
    tools: withoutOwn(tools, toolName),
    ...(resolved === undefined ? {} : { model: resolved }),
  });
  return { agent, description, skills };
}

/**
 * Returns the patterns for an agent's tools. They exclude the plugin's own tools, unless they select tools
 * explicitly.
 */
function withoutOwn(tools: readonly string[] | undefined, toolName: string): readonly string[] {
  if (tools?.every((pattern) => pattern.startsWith('!')) === false || tools?.length === 0) return tools;
  return [...(tools ?? []), ...ownNames(toolName).map((name) => `!${name}`)];
}

function noteOfGrants({ name, grants = [] }: Definition): readonly string[] {
  if (grants.length === 0) return [];
  return [`The agent "${name}" may call ${grants.join(', ')}, also where its parent is not offered it.`];
}

function statusOf({ name, tools, grants = [] }: Definition): string {
  const what =
    tools === undefined ? 'the tools that its parent is offered' : `tools ${tools.join(', ') || 'none'}`;
  return grants.length === 0
    ? `agent ${name}: ${what}`
    : `agent ${name}: ${what}; granted ${grants.join(', ')}`;
}
