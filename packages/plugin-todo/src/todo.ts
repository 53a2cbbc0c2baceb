import {
  definePlugin,
  defineTool,
  textOf,
  type JsonSchema,
  type Message,
  type RunInfo,
  type Tool,
} from '@shallot/core';
import { textPart, type PluginState } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { todoOptions, type Settings } from './options.ts';
import { faultOf, renderTodos, type Todo } from './todos.ts';

/**
 * Gives the model a tool that writes its to-do list. The list is part of the session. The model is shown the list
 * again after a number of steps, and after a summary has replaced the messages with the list.
 */
export const todo = definePlugin({
  name: 'todo',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 46,
  options: todoOptions,
  setup({ id, options, hooks, state, tools }) {
    const list = state<readonly Todo[]>({ key: 'todos', initial: () => [] });
    tools.add(todoTool(options, list));
    hooks.beforeModel.tap('remind', function remind(request, run) {
      const todos = list.get(run);
      if (todos.every(({ status }) => status === 'done')) return;
      const text = renderTodos(todos);
      if (isInSight(request.messages, text, options)) return;
      const reminder = {
        id: `${run.id}.${id}.${run.step}`,
        role: 'user',
        source: id,
        content: [textPart(text)],
      };
      return { ...request, messages: [...request.messages, reminder as Message] };
    });
  },
});

/** Returns true if one of the messages of the last steps shows the list as it is. */
function isInSight(
  messages: readonly Message[],
  text: string,
  { remindAfterSteps }: Pick<Settings, 'remindAfterSteps'>,
): boolean {
  let steps = 0;
  // Searches from the end, because the list is rarely far from it.
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) return false;
    if (message.role === 'assistant') steps += 1;
    if (steps >= remindAfterSteps) return false;
    if ((message.role === 'tool' || message.source !== undefined) && textOf(message).includes(text))
      return true;
  }
  return false;
}

function todoTool({ toolName, maxTodos }: Settings, list: PluginState<readonly Todo[]>): Tool {
  return defineTool({
    name: toolName,
    title: 'Update the to-do list',
    kind: 'think',
    // It changes nothing outside of the session.
    effect: 'read',
    description:
      'Writes your to-do list, in place of the one before: send the whole list each time. Use it for tasks of three or more steps. ' +
      'Put one entry in progress before you work on it, at most one at a time, and mark it done as soon as it is.',
    input: inputSchema(maxTodos),
    execute(input, { run }) {
      const { todos } = input;
      if (!isTodos(todos)) throw new TypeError('todos is not a list');
      const fault = faultOf(todos);
      if (fault !== undefined) return { content: [textPart(fault)], isError: true };
      list.set(run, todos);
      publish(run, todos);
      return { content: [textPart(renderTodos(todos))], data: { todos } };
    },
  });
}

function publish(run: RunInfo, todos: readonly Todo[]): void {
  run.event('plan', { todos });
}

/** Checks only the list; the schema has validated its members. */
function isTodos(value: unknown): value is readonly Todo[] {
  return Array.isArray(value);
}

function inputSchema(maxTodos: number): JsonSchema {
  const entry: JsonSchema = {
    type: 'object',
    properties: {
      content: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        description: 'What is to be done, in one line.',
      },
      status: { enum: ['pending', 'in_progress', 'done'] },
    },
    required: ['content', 'status'],
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: { todos: { type: 'array', items: entry, maxItems: maxTodos } },
    required: ['todos'],
    additionalProperties: false,
  };
}
