import type { ModelActivity, RunActivity, ToolActivity } from '../observe/activity.ts';
import {
  toInputMessages,
  toOutputMessages,
  toSystemInstructions,
  toToolDefinitions,
  toToolResponse,
} from './message-json.ts';
import { attribute } from './semconv.ts';
import type { Attributes } from './span-attributes.ts';

/** What was said, as attributes that hold JSON text. Only taken when it is asked for. */
export function contentOf(activity: RunActivity | ModelActivity | ToolActivity): Attributes {
  switch (activity.kind) {
    case 'run':
      return runContent(activity);
    case 'model':
      return modelContent(activity);
    case 'tool':
      return toolContent(activity);
  }
}

/** What the run was given, and its answer. */
function runContent({ result }: RunActivity): Attributes {
  if (result === undefined) return {};
  const firstAnswer = result.messages.findIndex(({ role }) => role === 'assistant');
  const input = firstAnswer === -1 ? result.messages : result.messages.slice(0, firstAnswer);
  const answer = result.messages.findLast((message) => message.role === 'assistant');
  return {
    [attribute.inputMessages]: JSON.stringify(toInputMessages(input)),
    ...(answer === undefined
      ? {}
      : { [attribute.outputMessages]: JSON.stringify(toOutputMessages(answer, 'stop')) }),
  };
}

function modelContent({ request, response }: ModelActivity): Attributes {
  const { instructions, messages, tools } = request;
  return {
    ...(instructions === ''
      ? {}
      : { [attribute.systemInstructions]: JSON.stringify(toSystemInstructions(instructions)) }),
    [attribute.inputMessages]: JSON.stringify(toInputMessages(messages)),
    ...(tools === undefined ? {} : { [attribute.toolDefinitions]: JSON.stringify(toToolDefinitions(tools)) }),
    ...(response === undefined
      ? {}
      : { [attribute.outputMessages]: JSON.stringify(toOutputMessages(response.message, response.finish)) }),
  };
}

function toolContent({ call, result }: ToolActivity): Attributes {
  return {
    [attribute.toolArguments]: call.raw ?? JSON.stringify(call.input),
    ...(result === undefined
      ? {}
      : { [attribute.toolResult]: JSON.stringify(result.data ?? toToolResponse(result)) }),
  };
}
