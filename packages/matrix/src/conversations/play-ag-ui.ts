import { EventType, type Interrupt, type Message as AgUiMessage } from '@ag-ui/client';
import { createClient } from '@shallot/client';
import type { JsonValue } from '@shallot/core';

import { AgUiPage } from '../../../server/test/ag-ui-page.ts';
import { isRecord, textAt } from './is-record.ts';
import type { CreatePlayer } from './player.ts';
import { serveSetting } from './serve-setting.ts';
import { ShownTexts } from './shown-texts.ts';
import {
  inAnswer,
  type AnsweredPiece,
  type CallPiece,
  type CallResult,
  type Citation,
  type Content,
  type FileContent,
  type Piece,
  type Question,
  type Source,
} from './transcript.ts';

const sessionId = 'a';

/** Plays with `HttpAgent` of AG-UI. Messages during a run and stops go to the server's own API. */
export const playAgUi: CreatePlayer = async (setting) => {
  const texts = new ShownTexts();
  const served = await serveSetting(setting, {
    send: async (text) => void (await client.send(sessionId, text)),
    stop: async () => void (await client.stop(sessionId)),
    shown: texts.shown,
  });
  const client = createClient({ url: served.url });
  const page = new AgUiPage(served.url, sessionId);
  page.agent.subscribe({
    onTextMessageContentEvent: ({ event, textMessageBuffer }) => texts.note(textMessageBuffer + event.delta),
  });
  let questions: Question[] = [];
  let place = 0;
  const take = async (running: Promise<void>): Promise<number> => {
    // The promise of a failed run rejects, but its last event reports the failure as well.
    await running.catch((error: unknown) => {
      if (page.events.at(-1)?.type !== EventType.RUN_ERROR) throw error;
    });
    questions.push(...page.open.map(questionOf));
    return page.open.length;
  };
  return {
    begin({ input, output }) {
      place = page.messages.length;
      questions = [];
      const content = typeof input === 'string' ? input : input.map(sentPart);
      page.agent.addMessage({ id: `u${place}`, role: 'user', content });
      return take(page.run(output === undefined ? {} : { forwardedProps: { shallot: { output } } }));
    },
    answer: (answers) =>
      take(
        page.run({
          resume: page.open.map(({ id }, index) => ({
            interruptId: id,
            status: 'resolved' as const,
            payload: answers[index],
          })),
        }),
      ),
    read: () => ({ pieces: piecesOf(page.messages.slice(place)), questions, end: endOf(page) }),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
};

type SentParts = Exclude<Extract<AgUiMessage, { readonly role: 'user' }>['content'], string>;

function sentPart(part: Content): SentParts[number] {
  if (part.type === 'text') return part;
  const { mediaType: mimeType, data, url, name } = part;
  const source =
    data === undefined
      ? { type: 'url' as const, value: url ?? '', mimeType }
      : { type: 'data' as const, value: data, mimeType };
  return { type: 'image', source, ...(name === undefined ? {} : { metadata: { filename: name } }) };
}

function questionOf({ reason: kind, metadata }: Interrupt): Question {
  // The payload is the one that the API lists.
  return { kind, payload: metadata?.['payload'] as JsonValue };
}

function endOf({ events }: AgUiPage): { readonly outcome: string; readonly code?: string } {
  const last: unknown = events.at(-1);
  const { metadata, code } = isRecord(last) ? last : {};
  const outcome = isRecord(metadata) ? textAt(metadata, 'outcome') : 'none';
  return { outcome, ...(typeof code === 'string' ? { code } : {}) };
}

/** Returns the pieces of messages. Reasoning is a separate message before its answer. */
function piecesOf(messages: readonly AgUiMessage[]): readonly Piece[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, resultOf(message)]] : [])),
  );
  let answer = 0;
  return messages.flatMap((message): readonly Piece[] => {
    if (message.role === 'user') return [{ type: 'user', content: contentOf(message.content) }];
    if (message.role === 'reasoning') return [{ type: 'reasoning', text: message.content, answer }];
    if (message.role !== 'assistant') return [];
    const { content, toolCalls = [], metadata } = message;
    const { citations, sources = [], files = [] } = (metadata ?? {}) as CitedIn;
    const text = { type: 'text' as const, text: textIn(content), ...(citations && { citations }) };
    const pieces: readonly AnsweredPiece[] = [
      ...(text.text === '' ? [] : [text]),
      ...toolCalls.map((call) => callPiece(call, results.get(call.id))),
      ...sources.map(sourcePiece),
      ...files.map(filePiece),
    ];
    const number = answer;
    answer += 1;
    return pieces.map((piece) => inAnswer(piece, number));
  });
}

function sourcePiece(source: Source): AnsweredPiece {
  return { type: 'source', ...source };
}

function filePiece(file: Omit<FileContent, 'type'>): AnsweredPiece {
  return { type: 'file', ...file };
}

interface CitedIn {
  readonly citations?: readonly Citation[];
  readonly sources?: readonly Source[];
  readonly files?: readonly Omit<FileContent, 'type'>[];
}

type ToolCall = NonNullable<Extract<AgUiMessage, { readonly role: 'assistant' }>['toolCalls']>[number];

function callPiece(call: ToolCall, result: CallResult | undefined): CallPiece {
  const { id, function: called } = call;
  const isProviders =
    'metadata' in call && isRecord(call.metadata) && call.metadata['providerExecuted'] === true;
  return {
    type: 'call',
    id,
    name: called.name,
    input: JSON.parse(called.arguments) as JsonValue,
    ...(isProviders ? { by: 'provider' } : {}),
    ...(result === undefined ? {} : { result }),
  };
}

function resultOf(message: AgUiMessage & { readonly role: 'tool' }): CallResult {
  const { content } = message;
  const metadata: unknown = 'metadata' in message ? message.metadata : undefined;
  const { denied, isError } = isRecord(metadata) ? metadata : {};
  if (isRecord(denied)) return { denied };
  const text = textIn(content);
  const output: unknown = /^[[{]/.test(text) ? JSON.parse(text) : text;
  return { output, ...(isError === true ? { isError } : {}) };
}

function textIn(content: unknown): string {
  return typeof content === 'string' ? content : '';
}

function contentOf(content: string | SentParts): readonly Content[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.flatMap((part): readonly Content[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (!('source' in part)) return [];
    const { type, value, mimeType = '' } = part.source;
    const { filename } = isRecord(part.metadata) ? part.metadata : {};
    const name = typeof filename === 'string' ? { name: filename } : {};
    return [
      { type: 'file', mediaType: mimeType, ...(type === 'data' ? { data: value } : { url: value }), ...name },
    ];
  });
}
