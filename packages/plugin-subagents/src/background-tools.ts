import { defineTool, type Tool } from '@shallot/core';
import type { BackgroundChild } from '@shallot/core/plugin';

import type { Settings } from './options.ts';
import { taskResult } from './task-result.ts';

/** Returns the names of the plugin's tools: the one that delegates, then those for tasks in the background. */
export function ownNames(toolName: string): readonly [string, string, string, string] {
  return [toolName, `${toolName}_status`, `${toolName}_result`, `${toolName}_cancel`];
}

const ofTask = {
  type: 'object',
  properties: { session: { type: 'string', description: 'The session of the task.' } },
  required: ['session'],
  additionalProperties: false,
} as const;

/** Returns the tools by which the model follows the tasks that it has begun in the background. */
export function backgroundTools({ toolName }: Settings): readonly Tool[] {
  const [, status, result, cancel] = ownNames(toolName);
  return [
    defineTool({
      name: status,
      title: 'List the tasks in the background',
      kind: 'other',
      effect: 'read',
      description: 'Lists the tasks in the background whose answers you have not been told of.',
      input: { type: 'object', properties: {}, additionalProperties: false },
      execute: (_input, { children }) => {
        const tasks = children.list();
        return {
          content: tasks.length === 0 ? 'There are none.' : tasks.map(lineOf).join('\n'),
          data: tasks.map(({ agent, sessionId, status: state }) => ({ agent, session: sessionId, state })),
        };
      },
    }),
    defineTool({
      name: result,
      title: 'Read the answer of a task',
      kind: 'other',
      // A repeated call returns the same answer again, from the session of the task.
      effect: 'read',
      description:
        'Returns the answer of a task in the background. Waits for the task if it is still running.',
      input: ofTask,
      async execute(input, { children }) {
        const session = sessionOf(input);
        const task = await children.result(session);
        if (task === undefined) throw unknown(session);
        if (task.status === 'ended') return taskResult(toolName, task.agent, task.result);
        return task.status === 'failed'
          ? { content: task.error, isError: true }
          : { content: lineOf(task), data: { agent: task.agent, session, state: task.status } };
      },
    }),
    defineTool({
      name: cancel,
      title: 'Cancel a task',
      kind: 'other',
      // It changes nothing outside of the conversation.
      effect: 'read',
      description: 'Cancels a task in the background. What it has done stays done.',
      input: ofTask,
      async execute(input, { children }) {
        const session = sessionOf(input);
        if (await children.cancel(session)) return 'The task was cancelled.';
        if ((await children.result(session)) === undefined) throw unknown(session);
        return 'The task is over already.';
      },
    }),
  ];
}

function lineOf({ agent, sessionId, status }: BackgroundChild): string {
  const how =
    status === 'waiting' ? 'waiting for the answer of a person, who is asked after your answer' : status;
  return `${sessionId} (${agent}): ${how}`;
}

function sessionOf({ session }: { readonly session?: unknown }): string {
  if (typeof session === 'string') return session;
  throw new TypeError('session is not a string');
}

function unknown(session: string): TypeError {
  return new TypeError(`no task of this conversation has the session ${JSON.stringify(session)}`);
}
