import type { JsonSchema } from '@shallot/core';
import type { ModelName, RunSettings } from '@shallot/core/model';
import {
  modelSettings,
  option,
  optionsSchema,
  type ShapeOutput,
  type StandardSchemaWithJson,
} from '@shallot/core/plugin';

/** An agent to which the model can delegate. */
export interface SubagentOptions {
  /** The name: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** For the model: when to delegate to this agent. */
  readonly description: string;
  /** The system prompt. Default: one that asks for a whole answer. */
  readonly instructions?: string;
  /** A name or an entry as for `model` in a config, or in code a `ChatModel`. Default: the parent's model. */
  readonly model?: ModelName;
  /**
   * Patterns that select from the tools that were offered to the parent; one that begins with `!` excludes tools.
   * Default: all of them but this plugin's own.
   */
  readonly tools?: readonly string[];
  /**
   * Names of tools that the agent has beyond those that were offered to its parent; `plugin/tool` for that of one
   * plugin. Default: none.
   */
  readonly grants?: readonly string[];
  /** The ids of plugins of the parent whose layers also surround this agent. Default: none. */
  readonly plugins?: readonly string[];
  /**
   * Names of skills of the plugin `skills`, whose texts come before each prompt. Default: none; it reads the skills
   * that it needs.
   */
  readonly skills?: readonly string[];
  /** The JSON Schema of the answer. Default: none; the answer is text. */
  readonly output?: JsonSchema;
  /** Settings of every model call. Default: the parent's. */
  readonly settings?: RunSettings;
  /** The most steps of a task. Default: the parent's. */
  readonly maxSteps?: number;
}

/** Options of the plugin. */
export interface SubagentsOptions {
  /** The agents. Default: those of `sources`; without any, an agent `general`. */
  readonly agents?: readonly SubagentOptions[];
  /**
   * Folders in the agent's files with one Markdown file per agent; missing ones are skipped. Default: `['/agents']`.
   */
  readonly sources?: readonly string[];
  /** Name of the tool. Default: `task`. */
  readonly toolName?: string;
  /** The greatest depth of the tree of runs below the root. Default: 3. */
  readonly maxDepth?: number;
  /** The most tasks of one run. Default: 100. */
  readonly maxTasks?: number;
  /**
   * The time that a run with an answer waits for its background tasks, in milliseconds; then it aborts them. Default:
   * 600,000.
   */
  readonly waitMs?: number;
}

const texts = (what: string): ReturnType<typeof option.list<string, string>> =>
  option.list(option.text(what));

const agentShape = {
  name: option.toolName().required().describe('What the model calls the agent.'),
  description: option.text().required().describe('When to delegate to the agent.'),
  instructions: option.text().describe('The system prompt.'),
  model: option.model().describe('The model, if it is not that of the parent.'),
  tools: texts('the name or pattern of a tool').describe(
    'Patterns that select from the tools of the parent; one that begins with ! takes away.',
  ),
  grants: texts('the name of a tool').describe('Tools beyond those that were offered to the parent.'),
  plugins: texts('the id of a plugin').describe('Plugins whose layers also surround the agent.'),
  skills: texts('the name of a skill').describe('Skills whose texts come before each prompt.'),
  output: option.jsonObject().describe('The JSON Schema of the answer. Without it the answer is text.'),
  settings: modelSettings.describe('Settings of every model call, in place of those of the parent.'),
  maxSteps: option.integer({ min: 1 }).describe('The most model calls of a task.'),
};

const shape = {
  agents: option.list(option.object(agentShape)).default([]).describe('The agents.'),
  sources: option
    .list(option.text('the path of a folder'))
    .default(['/agents'])
    .describe('Folders with a Markdown file per agent. Those that do not exist are skipped.'),
  toolName: option.toolName().default('task').describe('Name of the tool.'),
  maxDepth: option
    .integer({ min: 1, max: 10 })
    .default(3)
    .describe('The greatest depth of the tree of runs.'),
  maxTasks: option.integer({ min: 1, max: 1000 }).default(100).describe('The most tasks of one run.'),
  waitMs: option
    .integer({ min: 0 })
    .default(600_000)
    .describe('How long an answer waits for tasks in the background, in milliseconds.'),
};

/** The options with defaults. */
export type Settings = ShapeOutput<typeof shape>;

/** The definition of an agent, from the options or from a file. */
export type Definition = Settings['agents'][number];

/** Returns the name of the tool in a grant, which may begin with that of a plugin. */
export function toolOf(grant: string): string {
  return grant.slice(grant.lastIndexOf('/') + 1);
}

/** The schema of the options, which is also available as JSON Schema for config files. */
export const subagentsOptions: StandardSchemaWithJson<SubagentsOptions, Settings> = optionsSchema(shape);
