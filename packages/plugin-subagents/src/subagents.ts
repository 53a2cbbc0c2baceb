import { definePlugin, isShallotError, ShallotError } from '@shallot/core';
import {
  callMatcherKey,
  checkToolPatterns,
  fitsPattern,
  pluginStatusKey,
  reasonOf,
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
    const remarks: string[] = [];
    const remark = (message: string): void => {
      remarks.push(message);
      log.warn(message);
    };
    const agents = new Map<LoadedDefinition, Subagent>();
    for (const definition of definitions) {
      const agent = await subagentUnlessLeftOut(definition, options, { resolveModel, remark });
      if (agent !== undefined) agents.set(definition, agent);
    }
    let ready: ReadyAgent | undefined;
    const readSkill: ReadyAgent['skillText'] = async (run, name) => ready?.skillText(run, name);
    const offer = (): (() => void) =>
      agents.size === 0
        ? () => {}
        : tools.add([taskTool(options, [...agents.values()], readSkill), ...backgroundTools(options)]);
    const withdraw = offer();
    provide(
      callMatcherKey(id),
      taskMatcher(
        options.toolName,
        definitions.map(({ name }) => name),
      ),
    );
    provide(pluginStatusKey(id), {
      lines: () => [...agents.keys()].map(statusOf),
      notes: () => [...remarks, ...[...agents.keys()].flatMap(noteOfGrants)],
    });
    onReady((agent) => {
      ready = agent;
      const offered = agents.size;
      for (const definition of agents.keys())
        if (!isUsable(definition, agent, { log, remark })) agents.delete(definition);
      if (agents.size === offered) return;
      withdraw();
      offer();
    });
  },
});

interface Remarks {
  /** Warns that a file asks for an effect that it does not have. */
  readonly remark: (message: string) => void;
}

/**
 * Returns true for a definition from a file. An error in it does not keep the whole agent from starting, because its
 * author may not be able to change the agent.
 */
function isOfFile({ foreign }: LoadedDefinition): boolean {
  return foreign !== undefined;
}

/**
 * Returns the agent of a definition; undefined if the definition is from a file and cannot be used, for example for its
 * model.
 */
async function subagentUnlessLeftOut(
  definition: LoadedDefinition,
  options: Settings,
  { resolveModel, remark }: Pick<PluginSetup, 'resolveModel'> & Remarks,
): Promise<Subagent | undefined> {
  try {
    return await subagentOf(definition, options, resolveModel);
  } catch (error) {
    if (!isOfFile(definition) || !isShallotError(error)) throw error;
    remark(`The agent "${definition.name}" of a file is left out: ${reasonOf(error)}`);
    return undefined;
  }
}

/**
 * Checks the tools of a definition. For a definition from a file, a missing tool is only reported; if the file excludes
 * that tool, returns false, because the tool that its author meant would be allowed. @throws `subagents/UNKNOWN_TOOL`
 * for a definition from the options
 */
function isUsable(
  definition: LoadedDefinition,
  agent: ReadyAgent,
  { log, remark }: Pick<PluginSetup, 'log'> & Remarks,
): boolean {
  const { name, tools = [], grants = [], foreign } = definition;
  const naming = { plugin: 'subagents', what: `The agent "${name}"`, log };
  let isWhole = true;
  for (const pattern of [...tools, ...grants.map(toolOf)]) {
    const plain = pattern.replace(/^!/, '');
    if (foreign?.has(plain) === true) continue;
    try {
      checkToolPatterns([plain], agent, naming);
    } catch (error) {
      if (!isOfFile(definition) || !isShallotError(error)) throw error;
      if (plain !== pattern) isWhole = false;
      remark(
        `The agent "${name}" of a file ${plain === pattern ? 'goes without a tool' : 'is left out'}: ${reasonOf(error)}`,
      );
    }
  }
  for (const [theirs, patterns] of Map.groupBy(foreign?.keys() ?? [], (here) => foreign?.get(here))) {
    const isThere = patterns.some((pattern) => agent.tools.some((tool) => fitsPattern(pattern, tool.name)));
    if (!isThere)
      log.warn(
        { tool: theirs },
        `The agent "${name}" goes without ${theirs}: no tool is named ${patterns[0]}`,
      );
  }
  return isWhole;
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
