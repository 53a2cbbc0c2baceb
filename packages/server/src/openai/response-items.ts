import {
  textOf,
  type AssistantMessage,
  type Interrupt,
  type JsonValue,
  type Message,
  type ToolMessage,
} from '@shallot/core';
import { editedInput } from '@shallot/core/work';

import { isForClient } from '../work/client-tools.ts';
import { sealedId } from './answer-client.ts';
import type { ResponseNotes } from './response-notes.ts';
import type { RunPart } from './run-part.ts';
import { sealCall } from './sealed-call.ts';

/** An item of the output of a response, in the form in which clients of OpenAI read it. */
export interface ResponseItem {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A part of a run, with the inputs of the calls up to its end. */
export interface ResponsePart extends RunPart {
  readonly inputs: ReadonlyMap<string, JsonValue>;
  /** The calls of the client's tools that the client has answered since. */
  readonly answered: readonly { readonly id: string; readonly name: string }[];
}

type ItemTerms = ResponseNotes & { readonly sessionId: string };
type Part = AssistantMessage['content'][number];
type Called = Pick<Part & { readonly type: 'tool-call' }, 'id' | 'name' | 'input'>;

/**
 * Returns the output for a part of a run: texts, reasoning and calls in their order, and then the questions for the
 * client.
 */
export function itemsOf(part: ResponsePart, terms: ItemTerms): readonly ResponseItem[] {
  const { messages, questions, inputs, answered } = part;
  const items = messages.flatMap((message) =>
    message.role === 'assistant' ? answerItems(message) : resultItems(message, inputs, terms),
  );
  const kept = terms.isWhole ? withoutEarlierTexts(items) : items;
  const calls = answered.map(({ id, name }) => callItem({ id, name, input: inputs.get(id) ?? {} }, terms));
  return [...kept, ...calls, ...questions.flatMap((question) => questionItem(question, terms))];
}

/** Returns the reasoning and texts of an answer. */
function answerItems({ id, content }: AssistantMessage): readonly ResponseItem[] {
  return content.filter(isShown).map((part, index) => partItem(part, `${id}-${index}`));
}

export type ShownPart = Part & { readonly type: 'text' | 'reasoning' };

export function isShown(part: Part): part is ShownPart {
  return (part.type === 'text' || part.type === 'reasoning') && part.text !== '';
}

/** Returns the item of a part. */
export function partItem(part: ShownPart, id: string, status = 'completed'): ResponseItem {
  if (part.type === 'reasoning')
    return {
      id: `rs_${id}`,
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: part.text }],
      status,
    };
  const content = [{ type: 'output_text', text: part.text, annotations: annotationsOf(part), logprobs: [] }];
  return { id: `msg_${id}`, type: 'message', role: 'assistant', status, content };
}

/** Returns the calls of the agent's own tools with their results, if the client wants to see them. */
export function resultItems(
  message: ToolMessage,
  inputs: ReadonlyMap<string, JsonValue>,
  { label, toolNames }: ItemTerms,
): readonly ResponseItem[] {
  const { id, callId, name, isError, denied, data } = message;
  if (label === undefined || toolNames.has(name)) return [];
  const input = editedInput(message) ?? inputs.get(callId) ?? {};
  const text =
    data === undefined || typeof data === 'string' ? (data ?? textOf(message)) : JSON.stringify(data);
  const isFailed = isError === true || denied !== undefined;
  const error = { type: 'mcp_tool_execution_error', content: denied?.reason ?? text };
  return [
    {
      id: `mcp_${id}`,
      type: 'mcp_call',
      server_label: label,
      name,
      arguments: JSON.stringify(input),
      ...(isFailed ? { output: null, error } : { output: text, error: null }),
      status: isFailed ? 'failed' : 'completed',
    },
  ];
}

/** Returns the item of a question for the client: a call to execute, or a call to approve; none for other questions. */
function questionItem(question: Interrupt, terms: ItemTerms): readonly ResponseItem[] {
  const { call } = question;
  if (call === undefined) return [];
  if (isForClient(question)) return [callItem(call, terms)];
  const id = terms.label === undefined ? undefined : sealedId(terms.sessionId, question);
  if (id === undefined) return [];
  const { name, input } = call;
  return [
    { id, type: 'mcp_approval_request', server_label: terms.label, name, arguments: JSON.stringify(input) },
  ];
}

function callItem({ id, name, input }: Called, { sessionId }: ItemTerms): ResponseItem {
  const sealed = sealCall(sessionId, id);
  const called = { call_id: sealed, name, arguments: JSON.stringify(input) };
  return { id: `fc_${sealed}`, type: 'function_call', ...called, status: 'completed' };
}

function withoutEarlierTexts(items: readonly ResponseItem[]): readonly ResponseItem[] {
  const last = items.findLast(({ type }) => type === 'message');
  return items.filter((item) => item.type !== 'message' || item === last);
}

/** Returns the citations of a text, which cite pages or documents. */
function annotationsOf(part: ShownPart): readonly object[] {
  const { citations = [] } = part.type === 'text' ? part : {};
  return citations.map(({ source, start = 0, end = part.text.length }) =>
    source.url === undefined
      ? {
          type: 'file_citation',
          file_id: source.id,
          filename: source.name ?? source.title ?? source.id,
          index: start,
        }
      : {
          type: 'url_citation',
          url: source.url,
          title: source.title ?? '',
          start_index: start,
          end_index: end,
        },
  );
}

/** Returns the inputs of the calls in these messages. */
export function inputsIn(messages: readonly Message[]): ReadonlyMap<string, JsonValue> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.content : []));
  return new Map(calls.flatMap((part) => (part.type === 'tool-call' ? [[part.id, part.input]] : [])));
}
