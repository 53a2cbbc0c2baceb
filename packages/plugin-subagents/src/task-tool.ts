import { defineTool, type Input, type JsonSchema, type RunInfo, type Tool } from '@shallot/core';
import { textPart, type ChildAgent, type SkillTexts } from '@shallot/core/plugin';

import type { Settings } from './options.ts';
import { taskResult } from './task-result.ts';

/** An agent, ready for the core, with its description for the model. */
export interface Subagent {
  readonly agent: ChildAgent;
  readonly description: string;
  /** The names of the skills whose texts come before its prompt. */
  readonly skills: readonly string[];
}

/** Returns the tool by which the model delegates. */
export function taskTool(
  { toolName, maxDepth, maxTasks, waitMs }: Settings,
  subagents: readonly Subagent[],
  readSkill: SkillTexts['read'],
): Tool {
  const find = (name: unknown): Subagent | undefined => subagents.find(({ agent }) => agent.name === name);
  return defineTool({
    name: toolName,
    title: 'Delegate a task',
    kind: 'other',
    // A call that is repeated continues the task that it has begun.
    effect: 'idempotent',
    description: describe(subagents),
    input: inputSchema(subagents),
    background: { agent: (name) => find(name)?.agent, waitMs },
    async execute(input, { child, children, run }) {
      const { agent: name, prompt, session, background } = input;
      const subagent = find(name);
      if (subagent === undefined) throw new TypeError(`there is no agent ${JSON.stringify(name)}`);
      if (typeof prompt !== 'string') throw new TypeError('prompt is not a string');
      const { agent } = subagent;
      const options = {
        agent,
        // A continued task has the texts already.
        prompt: session === undefined ? await withSkills(prompt, subagent, run, readSkill) : prompt,
        maxDepth,
        maxChildren: maxTasks,
        ...(typeof session === 'string' ? { sessionId: session } : {}),
      };
      if (background !== true) return taskResult(toolName, agent.name, await child(options));
      const begun = await children.begin(options);
      return {
        content: `The task goes on in the background. You get a message when it has ended; then read its answer with ${toolName}_result.\n\n[${toolName} session: ${begun}]`,
        data: { agent: agent.name, session: begun, background },
      };
    },
  });
}

/** Returns a prompt after the texts of the agent's skills. Warns of skills that do not exist. */
async function withSkills(
  prompt: string,
  { agent: { name }, skills }: Subagent,
  run: RunInfo,
  read: SkillTexts['read'],
): Promise<Input> {
  if (skills.length === 0) return prompt;
  const texts: string[] = [];
  for (const skill of skills) {
    const text = await read(run, skill);
    if (text === undefined)
      run.warn(
        'SKILL_MISSING',
        `The agent "${name}" goes without the skill "${skill}", which does not exist.`,
      );
    else texts.push(text);
  }
  return { role: 'user', content: [...texts, prompt].map(textPart) };
}

function describe(subagents: readonly Subagent[]): string {
  const list = subagents.map(({ agent, description }) => `- ${agent.name}: ${description}`);
  return [
    'Delegates a task to another agent, and returns its answer. The agent knows nothing of this conversation: put everything it needs into the prompt, and say what to answer.',
    'Delegate what can be done on its own; several calls in one step are done side by side. "@name" in a message of the user asks for the agent of that name. The agents are:',
    ...list,
  ].join('\n');
}

function inputSchema(subagents: readonly Subagent[]): JsonSchema {
  return {
    type: 'object',
    properties: {
      agent: { enum: subagents.map(({ agent }) => agent.name), description: 'The agent.' },
      description: { type: 'string', description: 'The task in a few words, for people.' },
      prompt: {
        type: 'string',
        minLength: 1,
        description: 'The task, with everything that the agent needs.',
      },
      session: {
        type: 'string',
        description:
          'The session of a finished task, to ask the same agent more about it. Default: a new one.',
      },
      background: {
        type: 'boolean',
        description:
          'True: the task goes on while you do other things, and the result of this call is its session. Default: false.',
      },
    },
    required: ['agent', 'prompt'],
    additionalProperties: false,
  };
}
