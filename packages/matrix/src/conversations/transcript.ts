import {
  textOf,
  type AssistantMessage,
  type Interrupt,
  type Message,
  type ToolMessage,
  type UserMessage,
} from '@shallot/core';

import { isRecord } from './is-record.ts';

type Part = AssistantMessage['content'][number];

export type Citation = NonNullable<(Part & { readonly type: 'text' })['citations']>[number];

export type Source = Citation['source'];

/** A conversation at its end, turn by turn, from the view of one client. */
export type Transcript = readonly TurnRecord[];

/** A turn: its messages and calls, its questions, and its end. */
export interface TurnRecord {
  readonly pieces: readonly Piece[];
  readonly questions: readonly Question[];
  readonly end: { readonly outcome: string; readonly code?: string };
  /** True if the model began an answer that was taken back. */
  readonly isRetried: boolean;
}

export type Question = Pick<Interrupt, 'kind' | 'payload'>;

/** A part of a turn. `answer` is the number of the answer that it belongs to, from 0 in each turn. */
export type Piece =
  | { readonly type: 'user'; readonly content: readonly Content[] }
  | (Answered & { readonly type: 'reasoning'; readonly text: string })
  | (Answered & { readonly type: 'text'; readonly text: string; readonly citations?: readonly Citation[] })
  | (Answered & CallPiece)
  | (Answered & FileContent)
  | (Answered & Source & { readonly type: 'source' });

/** A piece of an answer of the model. */
export type AnsweredPiece = Exclude<Piece, { readonly type: 'user' }>;

interface Answered {
  readonly answer?: number;
}

/** A call with the input that it was executed with, and its result. */
export interface CallPiece {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The model's own input, if a person has edited it. */
  readonly asked?: unknown;
  readonly by?: 'provider';
  readonly result?: CallResult;
}

export type CallResult =
  | { readonly output: unknown; readonly isError?: true }
  | { readonly denied: { readonly by?: string; readonly reason?: string } };

/** A text or file of the user. */
export type Content = { readonly type: 'text'; readonly text: string } | FileContent;

export interface FileContent {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data?: string;
  readonly url?: string;
  readonly name?: string;
}

/** Returns the pieces of the messages of a run. */
export function piecesOf(messages: readonly Message[]): readonly Piece[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message]] : [])),
  );
  let answer = -1;
  return messages.flatMap((message): readonly Piece[] => {
    if (message.role === 'user') return [{ type: 'user', content: message.content.map(contentOf) }];
    if (message.role !== 'assistant') return [];
    answer += 1;
    const pieces = message.content.flatMap((part) => partPieces(part, results, message));
    return pieces.map((piece) => inAnswer(piece, answer));
  });
}

/** Adds the number of its answer to a piece, counted from 0 in each turn. */
export function inAnswer(piece: AnsweredPiece, answer: number): AnsweredPiece {
  return { ...piece, answer };
}

function partPieces(
  part: Part,
  results: ReadonlyMap<string, ToolMessage>,
  { content }: AssistantMessage,
): readonly AnsweredPiece[] {
  switch (part.type) {
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text }];
    case 'text':
      return [{ type: 'text', text: part.text, ...(part.citations && { citations: part.citations }) }];
    case 'file':
      return [contentOf(part)].filter((each) => each.type === 'file');
    case 'source': {
      const { metadata: _, ...source } = part;
      return [source];
    }
    case 'tool-call':
      return [callPiece(part, results.get(part.id))];
    case 'provider-call': {
      const { id, name, input } = part;
      const given = content.find((each) => each.type === 'provider-result' && each.callId === id);
      const result = given?.type === 'provider-result' ? { result: { output: given.result } } : {};
      return [{ type: 'call', id, name, input, by: 'provider', ...result }];
    }
    case 'provider-result':
      return [];
  }
}

function callPiece(
  { id, name, input }: Part & { readonly type: 'tool-call' },
  message: ToolMessage | undefined,
): CallPiece {
  const edited = message === undefined ? undefined : editIn(message);
  return {
    type: 'call',
    id,
    name,
    ...(edited === undefined ? { input } : { input: edited, asked: input }),
    ...(message === undefined ? {} : { result: resultOf(message) }),
  };
}

/**
 * Returns the input that a person has given to a call; undefined without such an edit. The core stores the answers to its
 * questions with the result.
 */
function editIn({ metadata }: ToolMessage): unknown {
  const core = metadata?.['core'];
  const answers = isRecord(core) ? core['answers'] : undefined;
  if (!Array.isArray(answers)) return undefined;
  const given = answers.map((each: unknown) => (isRecord(each) ? each['answer'] : undefined));
  const edit = given.findLast((each) => isRecord(each) && each['decision'] === 'edit');
  return isRecord(edit) ? edit['args'] : undefined;
}

function resultOf(message: ToolMessage): CallResult {
  const { denied, data, isError } = message;
  if (denied !== undefined) return { denied };
  return { output: data ?? textOf(message), ...(isError === true ? { isError } : {}) };
}

function contentOf(part: UserMessage['content'][number]): Content {
  const { metadata: _, ...content } = part;
  return content;
}
