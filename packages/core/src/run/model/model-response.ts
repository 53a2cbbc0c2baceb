import { describeValue } from '../../base/describe-value.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import { contentFault, textPart, type AssistantPart } from '../../contract/messages.ts';
import { modelError, placeOfModel } from '../../contract/model-error.ts';
import type { FinishReason, ModelRequest, ModelResponse, ModelResponseInput } from '../../contract/model.ts';
import type { Usage } from '../../contract/usage.ts';
import { badResult } from '../../hooks/bad-result.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { withUniqueCalls } from '../../sessions/content/unique-calls.ts';
import type { LiveSession } from '../../sessions/live/live-session.ts';
import type { RecordWriter } from '../record-writer.ts';

/**
 * Validates a model's response, and makes the ids of its message and tool calls unique. @throws `MODEL_RESPONSE`,
 * `MODEL_FAILED`, `VALUE_NOT_JSON`
 */
export function completeResponse(
  record: RecordWriter,
  request: ModelRequest,
  answered: unknown,
  isUsed: (id: string) => boolean,
): ModelResponse {
  const fault = responseFault(answered);
  if (fault !== undefined) {
    throw modelError('MODEL_RESPONSE', {
      at: placeOfModel(request.model),
      message: `The model ${request.model.id} returned ${fault}. A response has a message with the role assistant and a finish reason.`,
    });
  }
  // `responseFault` checked the type.
  const response = answered as ModelResponse;
  if (response.finish === 'error') {
    throw modelError('MODEL_FAILED', {
      at: placeOfModel(request.model),
      message: `The model ${request.model.id} ended its answer with an error.`,
      transient: true,
    });
  }
  const named = withOwnId(record.session, response.message, isUsed);
  const message = withUniqueCalls(named, (id) => record.session.hasCall(id), record.newMessageId);
  return frozenResponse({ ...response, message });
}

/** Returns the message without its id if another message already has that id. */
export function withOwnId(
  session: LiveSession,
  message: ModelResponse['message'],
  isUsed: (id: string) => boolean = () => false,
): ModelResponse['message'] {
  const { id, ...unnamed } = message;
  return id !== undefined && (isUsed(id) || session.hasMessage(id)) ? unnamed : message;
}

/**
 * Validates and completes the response that a layer or tap returned. @throws `HOOK_RESULT`, `VALUE_NOT_JSON`, naming
 * the plugin
 */
export function acceptResponse(tap: LiveTap, returned: unknown): ModelResponse {
  const response = isShort(returned) ? inFull(returned) : returned;
  const fault = responseFault(response);
  if (fault !== undefined) {
    const example = '{ message: { role: "assistant", content: "text" } }';
    throw badResult(tap, fault, `a model response: the result of next, or one like ${example}`);
  }
  // `responseFault` checked the type.
  const accepted = response as ModelResponse;
  if (accepted.finish === 'error') {
    throw badResult(tap, 'a response whose finish is "error"', 'a complete answer; throw an error instead');
  }
  const { plugin } = tap.info;
  const message = frozenJson(accepted.message, 'response.message', plugin);
  return frozenResponse({ ...accepted, message }, plugin);
}

/**
 * Returns true if a response has no text other than white space, no file and no tool call. Reasoning and provider tool
 * calls do not count as content.
 */
export function isEmptyAnswer({ message }: ModelResponse): boolean {
  // A loop, because V8's `every` is slow on a frozen array.
  for (const part of message.content) {
    if (part.type === 'text' ? part.text.trim() !== '' : answers.has(part.type)) return false;
  }
  return true;
}

const answers: ReadonlySet<AssistantPart['type']> = new Set(['file', 'tool-call'] as const);

/** Freezes a response whose message is frozen already. */
function frozenResponse(
  made: { -readonly [K in keyof ModelResponse]: ModelResponse[K] },
  plugin?: string,
): ModelResponse {
  const { usage, metadata } = made;
  if (usage !== undefined && !Object.isFrozen(usage)) made.usage = Object.freeze({ ...usage });
  if (metadata !== undefined) made.metadata = frozenJson(metadata, 'response.metadata', plugin);
  return Object.freeze(made);
}

function isShort(value: unknown): value is ModelResponseInput {
  if (!isObject(value) || !isObject(value['message'])) return false;
  return typeof value['message']['content'] === 'string' || value['finish'] === undefined;
}

function inFull({ message, finish = 'stop', ...rest }: ModelResponseInput): ModelResponse {
  const { content } = message;
  return {
    ...rest,
    finish,
    message: { ...message, content: typeof content === 'string' ? [textPart(content)] : content },
  };
}

const finishReasons: Record<FinishReason, true> = {
  stop: true,
  'tool-calls': true,
  length: true,
  'content-filter': true,
  paused: true,
  error: true,
  other: true,
};

/** Returns a description of the invalid member; undefined for a valid response. */
function responseFault(response: unknown): string | undefined {
  if (!isObject(response) || !('message' in response)) return describeValue(response);
  const fault = memberFault(response);
  return fault === undefined ? undefined : `a response whose ${fault}`;
}

function memberFault({ message, finish, usage }: Readonly<Record<string, unknown>>): string | undefined {
  if (!isObject(message)) return `message is ${describeValue(message)}`;
  if (message['role'] !== 'assistant') {
    return `message.role is ${describeValue(message['role'])} instead of "assistant"`;
  }
  const fault = contentFault(message['content'], 'assistant');
  if (fault !== undefined) return `message.${fault}`;
  if (typeof finish !== 'string' || !Object.hasOwn(finishReasons, finish)) {
    return `finish is ${describeValue(finish)} instead of ${Object.keys(finishReasons).join(', ')}`;
  }
  return usage === undefined ? undefined : usageFault(usage);
}

function usageFault(usage: unknown): string | undefined {
  if (!isObject(usage)) return `usage is ${describeValue(usage)}`;
  const counts = ['input', 'output', 'total'] satisfies (keyof Usage)[];
  const wrong = counts.find((name) => !Number.isFinite(usage[name]));
  return wrong === undefined
    ? undefined
    : `usage.${wrong} is ${describeValue(usage[wrong])} instead of a number of tokens`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
