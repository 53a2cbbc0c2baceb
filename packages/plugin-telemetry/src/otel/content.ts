import type { FinishReason, ModelRequest } from '@shallot/core/model';

import type { ModelActivity, RunActivity, ToolActivity } from '../observe/activity.ts';
import {
  toInputMessages,
  toOutputMessages,
  toSystemInstructions,
  toToolDefinitions,
  toToolResponse,
} from './message-json.ts';
import type { RunTotals } from './run-totals.ts';
import { attribute, type Edition } from './semconv.ts';
import type { Attributes } from './span-attributes.ts';

/** Messages, arguments and results as JSON values, by attribute name. */
type Content = Readonly<Record<string, unknown>>;

/** Returns the content of an activity as span attributes: JSON text. Read only when content is recorded. */
export function spanContent(
  activity: RunActivity | ModelActivity | ToolActivity,
  edition: Edition,
  totals: RunTotals,
): Attributes {
  const content = contentOf(activity, edition, totals);
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

function contentOf(
  activity: RunActivity | ModelActivity | ToolActivity,
  edition: Edition,
  totals: RunTotals,
): Content {
  switch (activity.kind) {
    case 'run':
      return runContent(activity, edition, totals);
    case 'model':
      return modelContent(activity, edition);
    case 'tool':
      return toolContent(activity);
  }
}

/** Returns the run's input and answer. */
function runContent({ result }: RunActivity, edition: Edition, { request, finish }: RunTotals): Content {
  if (result === undefined) return {};
  const firstAnswer = result.messages.findIndex(({ role }) => role === 'assistant');
  const input = firstAnswer === -1 ? result.messages : result.messages.slice(0, firstAnswer);
  const answer = result.messages.findLast((message) => message.role === 'assistant');
  return {
    ...(request === undefined ? {} : offeredContent(request)),
    [attribute.inputMessages]: toInputMessages(input),
    ...(answer === undefined ? {} : outputContent(answer, finish ?? 'stop', edition)),
  };
}

/** Returns the messages of a model call. */
export function modelContent({ request, response }: ModelActivity, edition: Edition): Content {
  return {
    ...offeredContent(request),
    [attribute.inputMessages]: toInputMessages(request.messages),
    ...(response === undefined ? {} : outputContent(response.message, response.finish, edition)),
  };
}

function offeredContent({ instructions, tools }: ModelRequest): Content {
  return {
    ...(instructions === '' ? {} : { [attribute.systemInstructions]: toSystemInstructions(instructions) }),
    ...(tools === undefined ? {} : { [attribute.toolDefinitions]: toToolDefinitions(tools) }),
  };
}

function outputContent(
  answer: Parameters<typeof toOutputMessages>[0],
  finish: FinishReason,
  edition: Edition,
): Content {
  return { [attribute.outputMessages]: toOutputMessages(answer, finish, edition) };
}

function toolContent({ call, result }: ToolActivity): Content {
  return {
    [attribute.toolArguments]: call.raw ?? call.input,
    ...(result === undefined ? {} : { [attribute.toolResult]: result.data ?? toToolResponse(result) }),
  };
}
