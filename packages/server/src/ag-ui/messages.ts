import type { AssistantMessage, Message, ToolMessage, UserMessage } from '@shallot/core';
import { editedInput } from '@shallot/core/work';

import { turnsOf } from '../api/turns.ts';
import type { AgUiEvent, AgUiMessage, AgUiToolCall } from './ag-ui-event.ts';
import { citedIn, type ShownCall } from './cited-in.ts';
import { resultContent, userContent } from './content.ts';

/** The inputs with which calls were executed, by call id, for calls that were changed. */
export type ChangedInputs = ReadonlyMap<string, unknown>;

/**
 * Returns the messages of a session in the form in which clients of AG-UI keep them. Summaries and instructions are
 * left out.
 */
export function agUiMessages(
  messages: readonly Message[],
  changed: ChangedInputs = new Map<string, unknown>(),
): readonly AgUiMessage[] {
  const shown: AgUiMessage[] = [];
  const inputs = new Map(changed);
  for (const message of messages) {
    const edited = message.role === 'tool' ? editedInput(message) : undefined;
    if (message.role === 'tool' && edited !== undefined) inputs.set(message.callId, edited);
  }
  for (const turn of turnsOf(messages)) {
    let answers = 0;
    for (const message of turn.role === 'user' ? [turn] : turn.messages) {
      if (message.role === 'user') shown.push(userMessage(message));
      else if (message.role === 'tool') addResult(shown, resultMessage(message));
      else {
        const id = turn.role === 'run' ? turn.id : message.id;
        addAnswer(shown, message, answerId(id, (answers += 1)), inputs);
      }
    }
  }
  return shown;
}

/** Returns the id of an answer of a run by its number, from 1. A draft needs it before its message has an id. */
export function answerId(runId: string, number: number): string {
  return `${runId}-${number}`;
}

export function reasoningId(id: string, number: number): string {
  return `${id}-reasoning-${number}`;
}

export function userMessage(message: UserMessage): AgUiMessage {
  return { id: message.id, role: 'user', content: userContent(message) };
}

export function resultMessage(message: ToolMessage): AgUiMessage {
  const { id, callId, isError, denied } = message;
  const metadata = { ...(isError === true ? { isError } : {}), ...(denied === undefined ? {} : { denied }) };
  return {
    id,
    role: 'tool',
    toolCallId: callId,
    content: resultContent(message),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

function addAnswer(
  shown: AgUiMessage[],
  { content }: AssistantMessage,
  id: string,
  changed: ChangedInputs,
): void {
  let text = '';
  let reasonings = 0;
  let place: number | undefined;
  const toolCalls: AgUiToolCall[] = [];
  const results: AgUiMessage[] = [];
  for (const part of content) {
    if (part.type === 'reasoning' && part.text !== '')
      shown.push({ id: reasoningId(id, (reasonings += 1)), role: 'reasoning', content: part.text });
    if (part.type === 'text') text += part.text;
    if (part.type === 'tool-call' || part.type === 'provider-call') toolCalls.push(toolCall(part, changed));
    if (part.type === 'provider-result') results.push(providerResult(part));
    if (place === undefined && (text !== '' || toolCalls.length > 0))
      place = shown.push({ id, role: 'assistant' }) - 1;
  }
  place ??= shown.push({ id, role: 'assistant' }) - 1;
  const metadata = citedIn(content);
  const isSilent = text === '' && toolCalls.length > 0 && metadata === undefined;
  shown[place] = {
    id,
    role: 'assistant',
    ...(isSilent ? {} : { content: text }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  for (const result of results) addResult(shown, result);
}

/**
 * Adds a result at the place where clients put it: after the answer with its call, and after the results that follow
 * that answer.
 */
function addResult(shown: AgUiMessage[], result: AgUiMessage): void {
  const answer = shown.findLastIndex(
    ({ toolCalls }) => toolCalls?.some(({ id }) => id === result.toolCallId) === true,
  );
  let place = answer === -1 ? shown.length : answer + 1;
  while (shown[place]?.role === 'tool') place += 1;
  shown.splice(place, 0, result);
}

function toolCall(part: ShownCall, changed: ChangedInputs): AgUiToolCall {
  const { id, name } = part;
  return {
    id,
    type: 'function',
    function: { name, arguments: argumentsOf(part, changed) },
    ...callMetadata(part),
  };
}

/** Returns the arguments with which a call was executed, as text. */
export function argumentsOf({ id, input, raw }: ShownCall, changed: ChangedInputs): string {
  return changed.has(id) ? JSON.stringify(changed.get(id)) : (raw ?? JSON.stringify(input));
}

/** Returns metadata that marks a call as executed by the provider. */
export function callMetadata({ type }: Pick<ShownCall, 'type'>): { readonly metadata?: object } {
  return type === 'provider-call' ? { metadata: { providerExecuted: true } } : {};
}

export function providerResult({
  callId,
  result,
  isError,
}: AssistantMessage['content'][number] & { readonly type: 'provider-result' }): AgUiMessage {
  return {
    id: `${callId}-result`,
    role: 'tool',
    toolCallId: callId,
    content: typeof result === 'string' ? result : JSON.stringify(result),
    ...(isError === true ? { metadata: { isError } } : {}),
  };
}

/** Returns the event that adds a result. */
export function resultEvent({ id, role, ...result }: AgUiMessage): AgUiEvent {
  return { type: 'TOOL_CALL_RESULT', messageId: id, role, ...result };
}
