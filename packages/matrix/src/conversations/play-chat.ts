import { createClient } from '@shallot/client';
import type { JsonValue } from '@shallot/core';
import { isStaticToolUIPart, type ToolUIPart, type UIMessage } from 'ai';

import { ChatPage } from '../../../server/test/chat-page.ts';
import { isRecord, textAt } from './is-record.ts';
import type { CreatePlayer } from './player.ts';
import { serveSetting } from './serve-setting.ts';
import { ShownTexts } from './shown-texts.ts';
import type { CallResult, Content, FileContent, Piece, Question } from './transcript.ts';

const sessionId = 'a';

type Part = UIMessage['parts'][number];

/** Plays with the transport of `useChat`. Answers other than approvals go to the server's own API. */
export const playChat: CreatePlayer = async (setting) => {
  const texts = new ShownTexts();
  const served = await serveSetting(setting, {
    send: async (text) => void (await client.send(sessionId, text)),
    stop: async () => void (await client.stop(sessionId)),
    shown: texts.shown,
  });
  const client = createClient({ url: served.url });
  const page = new ChatPage(served.server, sessionId);
  page.onMessage = ({ parts }) => {
    for (const part of parts) if (part.type === 'text') texts.note(part.text);
  };
  let questions: Question[] = [];
  let place = 0;
  let open: readonly string[] = [];
  const take = async (message: Promise<UIMessage>): Promise<number> => {
    const asked = questionsIn(await message);
    questions.push(...asked.map(({ kind, payload }) => ({ kind, payload })));
    open = asked.map(({ id }) => id);
    return open.length;
  };
  return {
    async begin({ input, output }) {
      place = page.messages.length;
      questions = [];
      const parts =
        typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input.map(sentPart);
      const message: UIMessage = { id: `u${place}`, role: 'user', parts };
      return take(page.submit([...page.messages, message], output === undefined ? {} : { output }));
    },
    async answer(answers) {
      const decisions = answers.map(decisionOf);
      if (decisions.every((each) => each !== undefined)) return take(page.decide(open, decisions));
      for (const [index, answer] of answers.entries())
        await client.answer(sessionId, open[index] ?? '', answer);
      return take(follow(page));
    },
    read() {
      const pieces = page.messages
        .slice(place)
        .flatMap(({ role, parts }) =>
          role === 'user'
            ? [{ type: 'user' as const, content: parts.flatMap(contentOf) }]
            : parts.flatMap((part) => piecesOf(part)),
        );
      return { pieces, questions, end: endOf(page) };
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
};

/** Follows the run in progress. If it has ended, returns the last message of the reloaded chat. */
async function follow(page: ChatPage): Promise<UIMessage> {
  const followed = await page.resume();
  const message = followed ?? (await page.reload()).at(-1);
  if (message === undefined) throw new Error('The chat has no messages.');
  return message;
}

function sentPart(part: Content): Part {
  if (part.type === 'text') return part;
  const { mediaType, data, url = `data:${mediaType};base64,${data}`, name: filename } = part;
  return { type: 'file', mediaType, url, ...(filename === undefined ? {} : { filename }) };
}

/** Returns the answer that the client's own functions can give; undefined for any other. */
function decisionOf(answer: JsonValue): { readonly approved: boolean; readonly reason?: string } | undefined {
  if (!isRecord(answer) || (answer['decision'] !== 'approve' && answer['decision'] !== 'reject'))
    return undefined;
  const { decision, reason } = answer;
  return { approved: decision === 'approve', ...(typeof reason === 'string' ? { reason } : {}) };
}

function questionsIn({ parts }: UIMessage): readonly (Question & { readonly id: string })[] {
  return parts.flatMap((part) => {
    const isAsked = 'state' in part && part.state === 'approval-requested';
    const asked = isAsked
      ? part.approval.descriptor
      : part.type === 'data-interrupt' && 'data' in part
        ? part.data
        : undefined;
    // The question has the form in which the API lists it.
    return isRecord(asked)
      ? [{ id: textAt(asked, 'id'), kind: textAt(asked, 'kind'), payload: asked['payload'] as JsonValue }]
      : [];
  });
}

function endOf({ messages, errors }: ChatPage): { readonly outcome: string; readonly code?: string } {
  const { metadata } = messages.at(-1) ?? {};
  const outcome = isRecord(metadata) ? textAt(metadata, 'outcome') : 'none';
  const [, code] = /^(?:Error: )?([\w/]+): /.exec(errors.at(-1) ?? '') ?? [];
  return { outcome, ...(outcome === 'failed' && code !== undefined ? { code } : {}) };
}

function contentOf(part: Part): readonly Content[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  return part.type === 'file' ? [fileOf(part)] : [];
}

function fileOf({ mediaType, url, filename: name }: Part & { readonly type: 'file' }): FileContent {
  const [, data] = /^data:[^,]*,(.*)$/s.exec(url) ?? [];
  return {
    type: 'file',
    mediaType,
    ...(data === undefined ? { url } : { data }),
    ...(name === undefined ? {} : { name }),
  };
}

function piecesOf(part: Part): readonly Piece[] {
  if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.text }];
  if (part.type === 'file') return [fileOf(part)];
  if (part.type === 'text') {
    const citations =
      'citations' in part && Array.isArray(part.citations) ? part.citations.map(citationOf) : undefined;
    return [{ type: 'text', text: part.text, ...(citations === undefined ? {} : { citations }) }];
  }
  if (part.type === 'source-url' || part.type === 'source-document')
    return [{ type: 'source', ...sourceOf(part, 'sourceId') }];
  if (part.type === 'steering-message' && 'parts' in part && Array.isArray(part.parts))
    return [{ type: 'user', content: (part.parts as Part[]).flatMap(contentOf) }];
  if (!isStaticToolUIPart(part)) return [];
  const { toolCallId: id, type, input } = part;
  const by = part.providerExecuted === true ? { by: 'provider' as const } : {};
  const result = resultOf(part);
  return [{ type: 'call', id, name: type.slice('tool-'.length), input, ...by, ...(result && { result }) }];
}

function resultOf(part: ToolUIPart): CallResult | undefined {
  if (part.state === 'output-available') return { output: part.output };
  if (part.state === 'output-error') return { output: part.errorText, isError: true };
  if (part.state !== 'output-denied') return undefined;
  const { reason } = part.approval;
  return { denied: reason === undefined ? {} : { reason } };
}

function citationOf(
  citation: unknown,
): NonNullable<Extract<Piece, { readonly type: 'text' }>['citations']>[number] {
  const { source, startIndex: start, endIndex: end, citedText: quote } = isRecord(citation) ? citation : {};
  return {
    source: sourceOf(isRecord(source) ? source : {}, 'id'),
    ...(typeof start === 'number' ? { start } : {}),
    ...(typeof end === 'number' ? { end } : {}),
    ...(typeof quote === 'string' ? { quote } : {}),
  };
}

function sourceOf(source: object, key: string): { readonly id: string } {
  const { [key]: id, url, title, mediaType, filename: name } = source as Record<string, unknown>;
  const named = Object.entries({ url, title, mediaType, name }).filter(([, value]) => value !== undefined);
  return { id: String(id), ...Object.fromEntries(named) };
}
