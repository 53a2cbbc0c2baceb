import { describeValue } from '../../base/describe-value.ts';
import type { ShallotError } from '../../base/errors.ts';
import { freezeJson, type JsonObject } from '../../base/json.ts';
import { isWholeMessage, toMessage, type Message, type MessageInput } from '../../contract/messages.ts';
import type { ModelRequest } from '../../contract/model.ts';
import type { OfferedTool } from '../../contract/store.ts';
import { isTool, type Tool } from '../../contract/tool.ts';
import { badNext, badResult } from '../../hooks/bad-result.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { changedRange } from '../../sessions/messages/message-log.ts';
import { pairCalls } from '../../sessions/pairing.ts';
import type { ActiveRun } from '../active-run.ts';
import { notePlacer, restoreTools, storeDescribedTools } from '../offered-tools.ts';
import { checkChoice, toolChoiceOf } from './tool-choice.ts';

/** The request of a step as the agent makes it, before any layer has seen it. */
export function baseRequest(run: ActiveRun): ModelRequest {
  const { parts, output, settings } = run;
  const { model, instructions, providerTools } = parts;
  const request: { -readonly [K in keyof ModelRequest]: ModelRequest[K] } = {
    model,
    instructions,
    messages: run.session.messages,
    tools: parts.tools.list,
    settings,
  };
  const toolChoice = run.toolChoice === undefined ? undefined : toolChoiceOf(run);
  if (toolChoice !== undefined) request.toolChoice = toolChoice;
  if (providerTools.length > 0) request.providerTools = providerTools;
  if (output !== undefined) request.output = output.schema;
  return Object.freeze(request);
}

/**
 * Checks and completes a request that a tap returned or passed on: what it left as it was costs nothing.
 * @throws `HOOK_RESULT`, `MESSAGE_INVALID`, `VALUE_NOT_JSON`, naming the plugin
 */
export function acceptRequest(
  run: ActiveRun,
  tap: LiveTap,
  passed: unknown,
  given: ModelRequest,
): ModelRequest {
  if (passed === given) return given;
  if (!isRequest(passed))
    throw badRequest(tap, describeValue(passed), 'a model request: spread the one it received');
  const { plugin } = tap.info;
  const messages =
    passed.messages === given.messages
      ? given.messages
      : completeMessages(run, passed.messages, given.messages, plugin);
  const tools = passed.tools === given.tools ? given.tools : uniqueTools(tap, passed.tools);
  if (tools !== undefined && tools !== given.tools) notePlacer(run, tap.owner, tools, given.tools);
  if (passed.metadata !== given.metadata) freezeJson(passed.metadata, 'request.metadata', plugin);
  if (messages === passed.messages && tools === passed.tools) return Object.freeze(passed);
  const { tools: _, ...rest } = passed;
  return Object.freeze({ ...rest, messages, ...(tools === undefined ? {} : { tools }) });
}

/** `beforeModel` returns a request, a layer passes it on. */
function badRequest(tap: LiveTap, received: string, wanted: string): ShallotError {
  return (tap.info.hook === 'beforeModel' ? badResult : badNext)(tap, received, wanted);
}

function isRequest(value: unknown): value is ModelRequest {
  if (typeof value !== 'object' || value === null) return false;
  // Each member is checked before it is used.
  const { model, instructions, messages, tools, settings } = value as Partial<ModelRequest>;
  return (
    typeof model?.generate === 'function' &&
    typeof instructions === 'string' &&
    Array.isArray(messages) &&
    (tools === undefined || Array.isArray(tools)) &&
    typeof settings === 'object'
  );
}

/**
 * Completes messages that somebody put together; those that are `known` already are left as they are. Most changes leave
 * what comes before and after them, which costs a comparison each.
 */
export function completeMessages(
  run: ActiveRun,
  messages: readonly MessageInput[],
  known: readonly Message[],
  plugin: string,
): readonly Message[] {
  const { from, tail } = changedRange(known, messages);
  const to = messages.length - tail;
  let others: Set<unknown> | undefined;
  const isKnown = (message: MessageInput): message is Message => {
    if (isWholeMessage(message)) return true;
    // Those that a store has read are frozen, too.
    if (!Object.isFrozen(message)) return false;
    others ??= new Set<unknown>(known);
    return others.has(message);
  };
  // What stands outside the range is known.
  const complete = messages.slice() as Message[];
  for (let index = from; index < to; index += 1) {
    const message = messages[index] as MessageInput;
    if (!isKnown(message)) complete[index] = toMessage(message, run.newMessageId, plugin);
  }
  return Object.freeze(complete);
}

/** Of two tools with one name the later wins, in the place of the earlier. */
function uniqueTools(tap: LiveTap, tools: readonly Tool[] | undefined): readonly Tool[] | undefined {
  if (tools === undefined) return undefined;
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (!isTool(tool))
      throw badRequest(tap, `${describeValue(tool)} among the tools`, 'tools made by defineTool');
    byName.set(tool.name, tool);
  }
  return Object.freeze([...byName.values()]);
}

/** The request as the model gets it: no empty list of tools, no choice among none, and every call with its one result. */
export function finalRequest(run: ActiveRun, request: ModelRequest): ModelRequest {
  const messages =
    request.messages === run.session.messages ? request.messages : paired(run, request.messages);
  const { tools = [], providerTools = [] } = request;
  if (request.toolChoice !== undefined) checkChoice(request);
  const isBare = tools.length === 0 && providerTools.length === 0;
  const isFinal =
    'tools' in request === tools.length > 0 &&
    'providerTools' in request === providerTools.length > 0 &&
    !(isBare && 'toolChoice' in request);
  if (messages === request.messages && isFinal) return request;
  const { tools: _tools, providerTools: _providerTools, toolChoice, ...rest } = request;
  return Object.freeze({
    ...rest,
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(providerTools.length === 0 ? {} : { providerTools }),
    ...(isBare || toolChoice === undefined ? {} : { toolChoice }),
  });
}

/** Messages that were changed by somebody, made valid; what had to be done is said as a warning. */
export function paired(run: ActiveRun, messages: readonly Message[]): readonly Message[] {
  const pairing = pairCalls(messages, run.newMessageId);
  const { answered, dropped } = pairing;
  if (answered.length > 0 || dropped.length > 0) {
    const what = [
      ...(answered.length > 0 ? [`calls without a result were answered (${answered.join(', ')})`] : []),
      ...(dropped.length > 0 ? [`results without a call were dropped (${dropped.join(', ')})`] : []),
    ];
    run.warn('MESSAGES_REPAIRED', `The messages were not valid: ${what.join('; ')}.`);
  }
  return pairing.messages;
}

/** What of a request is kept while a `beforeModel` tap waits for an answer. */
export function storeRequest(run: ActiveRun, request: ModelRequest): JsonObject {
  const { model, instructions, messages, tools, providerTools = [], output, settings } = request;
  const { toolChoice, cache, metadata } = request;
  const stored = {
    model: model.id,
    instructions,
    settings,
    ...(messages === run.session.messages ? {} : { messages }),
    ...(tools === run.parts.tools.list ? {} : { tools: storeDescribedTools(run, tools ?? []) }),
    ...(providerTools === run.parts.providerTools ? {} : { providerTools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(cache === undefined ? {} : { cache }),
    ...(output === undefined ? {} : { output }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  freezeJson(stored, 'the request that waits for an answer');
  // `freezeJson` has checked that it is JSON.
  return stored as unknown as JsonObject;
}

/** The request that waited. Tools are found again where they were registered; the model is the agent's, which is said if it was not. */
export function restoreRequest(run: ActiveRun, stored: JsonObject): ModelRequest {
  // `storeRequest` wrote it.
  const {
    model,
    tools: offered,
    messages,
    ...rest
  } = stored as unknown as Omit<Partial<ModelRequest>, 'tools' | 'model'> & {
    readonly model?: string;
    readonly tools?: readonly OfferedTool[];
  };
  const base = baseRequest(run);
  if (model !== undefined && model !== base.model.id) {
    run.warn('MODEL_NOT_RESTORED', `The pending request was for ${model}; ${base.model.id} is used instead.`);
  }
  const tools = offered === undefined ? base.tools : restoreTools(run, offered);
  return Object.freeze({
    ...base,
    ...rest,
    messages:
      messages === undefined
        ? base.messages
        : Object.freeze(messages.map((message) => toMessage(message, run.newMessageId))),
    ...(tools === undefined ? {} : { tools }),
  });
}
