import { describeValue } from '../../base/describe-value.ts';
import type { JsonObject } from '../../base/json.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import { isWholeMessage, toMessage, type Message, type MessageInput } from '../../contract/messages.ts';
import type { ModelRequest } from '../../contract/model.ts';
import type { OfferedTool } from '../../contract/store.ts';
import { isTool, type Tool } from '../../contract/tool.ts';
import { pathIn, resultPlace } from '../../files/session-place.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { changedRange } from '../../sessions/content/message-log.ts';
import { UniqueIds } from '../../sessions/content/unique-ids.ts';
import { isNoted } from '../held-files.ts';
import { notePlacer, restoreTools, storeDescribedTools } from '../offered-tools.ts';
import type { PluginsInRun } from '../plugins-in-run.ts';
import type { RecordWriter } from '../record-writer.ts';
import type { RunParts } from '../run-parts.ts';
import type { RunTerms } from '../run-terms.ts';
import { badRequest, checkMessages, checkToolChoice } from './check-request.ts';
import { shapeFault } from './shape-fault.ts';
import { toolChoiceOf } from './tool-choice.ts';

/** Returns the request of a step before any tap or layer has changed it. */
export function baseRequest(terms: RunTerms, record: RecordWriter): ModelRequest {
  const { output, settings, toolChoice: chosen } = terms.model;
  const { parts } = terms;
  const { model, instructions, providerTools } = parts;
  const { about, messages } = record.session;
  const request: { -readonly [K in keyof ModelRequest]: ModelRequest[K] } = {
    model,
    instructions,
    messages,
    tools:
      about?.files !== undefined && hasKeptResults(record) ? parts.tools.listWithReader : parts.tools.list,
    settings,
  };
  const toolChoice = chosen === undefined ? undefined : toolChoiceOf(chosen, record.progress);
  if (toolChoice !== undefined) request.toolChoice = toolChoice;
  if (providerTools.length > 0) request.providerTools = providerTools;
  if (output !== undefined) request.output = output.schema;
  return Object.freeze(request);
}

function hasKeptResults(record: RecordWriter): boolean {
  return isNoted(record, pathIn(resultPlace, record.session.id));
}

/**
 * Validates and completes a request that a tap returned or passed to `next`. Unchanged members are not checked again.
 * @throws `HOOK_RESULT`, `MESSAGE_INVALID`, `VALUE_NOT_JSON`, naming the plugin
 */
export function acceptRequest(
  { record, plugins }: RunParts,
  tap: LiveTap,
  passed: unknown,
  given: ModelRequest,
): ModelRequest {
  if (passed === given) return given;
  if (!isRequest(passed))
    throw badRequest(tap, describeValue(passed), 'a model request: spread the one it received');
  const fault = shapeFault(passed, given);
  if (fault !== undefined) throw badRequest(tap, fault.received, fault.wanted);
  const { plugin } = tap.info;
  if (passed.messages.length === 0 && given.messages.length > 0)
    throw badRequest(tap, 'a request without messages', 'at least one message for the model');
  const messages =
    passed.messages === given.messages
      ? given.messages
      : completeMessages(record, passed.messages, given.messages, plugin);
  const tools = passed.tools === given.tools ? given.tools : uniqueTools(tap, passed.tools);
  if (tools !== undefined && tools !== given.tools) notePlacer(plugins, tap.owner, tools, given.tools);
  const metadata =
    passed.metadata === given.metadata
      ? given.metadata
      : frozenJson(passed.metadata, 'request.metadata', plugin);
  const { tools: _, metadata: __, ...rest } = passed;
  const accepted = Object.freeze({
    ...rest,
    messages,
    ...(tools === undefined ? {} : { tools }),
    ...(metadata === undefined ? {} : { metadata }),
  });
  plugins.noteChange(accepted, { tap, given });
  return accepted;
}

/** Returns true for a value with the members that every request has. `shapeFault` checks their shapes. */
function isRequest(value: unknown): value is ModelRequest {
  return (
    typeof value === 'object' &&
    value !== null &&
    'model' in value &&
    'messages' in value &&
    'settings' in value
  );
}

/** Completes the messages of a plugin. Messages of `known` are reused, even if only the middle of the list changed. */
export function completeMessages(
  record: RecordWriter,
  messages: readonly MessageInput[],
  known: readonly Message[],
  plugin: string,
): readonly Message[] {
  const { from, tail } = changedRange(known, messages);
  const to = messages.length - tail;
  let others: Set<unknown> | undefined;
  const isKnown = (message: MessageInput): message is Message => {
    if (isWholeMessage(message)) return true;
    // Messages that a store loaded are frozen, too.
    if (!Object.isFrozen(message)) return false;
    others ??= new Set<unknown>(known);
    return others.has(message);
  };
  // Messages outside the changed range come from `known`.
  const complete = messages.slice() as Message[];
  let ids: UniqueIds | undefined;
  for (let index = from; index < to; index += 1) {
    const message = messages[index] as MessageInput;
    const whole = isKnown(message) ? message : toMessage(message, record.newMessageId, plugin);
    // Only ids from the plugin can clash.
    if (message.id !== undefined) ids ??= idsInPlaceOf(record, known, from, known.length - tail);
    complete[index] = message.id === undefined || ids === undefined ? whole : ids.take(whole);
  }
  return Object.freeze(complete);
}

/**
 * Returns the id check for messages that replace `known` from index `from` up to `to`. They may keep the ids of the
 * messages that they replace.
 */
function idsInPlaceOf(record: RecordWriter, known: readonly Message[], from: number, to: number): UniqueIds {
  const { session } = record;
  const idsOf = (messages: readonly Message[]): ReadonlySet<string> => new Set(messages.map(({ id }) => id));
  const replaced = idsOf(known.slice(from, to));
  const kept = known === session.messages ? undefined : idsOf([...known.slice(0, from), ...known.slice(to)]);
  const isUsed = (id: string, message: Message): boolean => {
    if (replaced.has(id)) return false;
    return kept === undefined ? session.hasMessage(id) : kept.has(id) || session.hasOther(message);
  };
  return new UniqueIds(isUsed, record.newMessageId);
}

/** Makes tool names unique: a later tool replaces an earlier one of the same name, at its index. */
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

/**
 * Returns the request for the model: without empty tool lists, with a result for every call, and with a `toolChoice`
 * only if it offers tools. @throws as `checkMessages` and `checkToolChoice` do
 */
export function finalRequest(run: RunParts, request: ModelRequest): ModelRequest {
  const messages =
    request.messages === run.record.session.messages ? request.messages : checkMessages(run, request);
  const { tools = [], providerTools = [] } = request;
  if (request.toolChoice !== undefined) checkToolChoice(run, request);
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

/**
 * Returns the part of a request that is stored while a `beforeModel` tap waits for an answer or the model is called.
 */
export function storeRequest(plugins: PluginsInRun, record: RecordWriter, request: ModelRequest): JsonObject {
  const { parts } = plugins;
  const { model, instructions, messages, tools, output, settings } = request;
  const { toolChoice, cache, metadata } = request;
  // Without tools of the provider, a request has no such member.
  const { providerTools = parts.providerTools.length === 0 ? parts.providerTools : [] } = request;
  // A resume uses the agent's current model; any other model is looked up by its id.
  if (model !== parts.model) parts.models.note(model);
  const stored = {
    ...(model === parts.model ? {} : { model: model.id }),
    instructions,
    settings,
    ...(messages === record.session.messages ? {} : { messages }),
    ...(tools === parts.tools.list ? {} : { tools: storeDescribedTools(plugins, tools ?? []) }),
    ...(providerTools === parts.providerTools ? {} : { providerTools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(cache === undefined ? {} : { cache }),
    ...(output === undefined ? {} : { output }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  // The members are JSON; `frozenJson` checks it.
  return frozenJson(stored as unknown as JsonObject, 'the request');
}

/** Returns a stored request with its tools and model looked up in the registries. @throws `MODEL_GONE` */
export function restoreRequest(run: RunParts, stored: JsonObject): ModelRequest {
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
  // Members that a tap removed stay removed.
  const { toolChoice: _choice, output: _output, ...base } = baseRequest(run.terms, run.record);
  const tools = offered === undefined ? base.tools : restoreTools(run.plugins, run.signs, offered);
  return Object.freeze({
    ...base,
    ...rest,
    ...(model === undefined ? {} : { model: run.plugins.parts.models.get(model) }),
    messages:
      messages === undefined
        ? base.messages
        : Object.freeze(messages.map((message) => toMessage(message, run.record.newMessageId))),
    ...(tools === undefined ? {} : { tools }),
  });
}
