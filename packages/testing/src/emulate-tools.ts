import { definePlugin, textOf, type Message, type Plugin, type RunInfo, type ToolCall } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { fitsPattern, textPart, toolCallsOf } from '@shallot/core/plugin';

/** Options of `emulateTools`. */
export interface EmulateToolsOptions {
  /** The names of the tools to emulate, or patterns with `*`. Default: all. */
  readonly tools?: readonly string[];
  /** The model that makes up the results. Default: the agent's own. */
  readonly model?: ChatModel;
  /** Further instructions for that model, for example about the world in which the tools act. */
  readonly instructions?: string;
}

/**
 * Creates a plugin that answers calls of tools with results that a model makes up, for trying an agent whose tools do not
 * exist yet, or must not act. No emulated tool is executed, so no gate is asked about it.
 */
export function emulateTools({ tools, model, instructions }: EmulateToolsOptions = {}): Plugin {
  return definePlugin({
    name: 'emulated-tools',
    version: '0.0.0',
    setup({ hooks, generate }) {
      // Innermost, where the tool would be executed.
      hooks.wrapToolCall.tapPromise({ name: 'emulate', priority: 0 }, async (call, next, { run }) => {
        if (tools?.some((pattern) => fitsPattern(pattern, call.name)) === false) return next(call);
        const { message } = await generate(
          run,
          {
            ...(model === undefined ? {} : { model }),
            instructions: [taskFor(call, run), instructions]
              .filter((part) => part !== undefined)
              .join('\n\n'),
            messages: [{ id: call.id, role: 'user', content: [textPart(JSON.stringify(call.input))] }],
            tools: [],
          },
          { purpose: 'emulate' },
        );
        return { content: [textPart(textOf(message))] };
      });
    },
  })();
}

function taskFor({ id, name }: ToolCall, { messages }: RunInfo): string {
  const earlier = messages.flatMap((message) => resultsIn(message, messages, id));
  return [
    `You stand in for the tool "${name}" of an agent. The message is the JSON of its arguments. Reply with what the tool would return, and with nothing else.`,
    ...(earlier.length === 0 ? [] : [`Stay consistent with the calls before:\n${earlier.join('\n')}`]),
  ].join('\n\n');
}

/** Describes the result of an earlier call; returns an empty list for other messages. */
function resultsIn(message: Message, messages: readonly Message[], current: string): string[] {
  if (message.role !== 'tool' || message.callId === current) return [];
  const call = messages
    .flatMap((each) => (each.role === 'assistant' ? toolCallsOf(each) : []))
    .find(({ id }) => id === message.callId);
  return [`${message.name}(${JSON.stringify(call?.input ?? {})}) returned: ${textOf(message)}`];
}
