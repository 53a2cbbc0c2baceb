import type { ContentBlock, SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';

import type { CallPiece, CallResult, Content, FileContent, Piece } from './transcript.ts';

/** The pieces of a session as an editor shows them after its updates. */
export class AcpTranscript {
  readonly #pieces: Piece[] = [];
  readonly #places = new Map<string, number>();
  #last = '';

  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** The text that may still be taken back. */
  get openText(): string {
    const last = this.#pieces.at(-1);
    return last?.type === 'text' ? last.text : '';
  }

  withoutUser(): readonly Piece[] {
    return this.#pieces.filter(({ type }) => type !== 'user');
  }

  add(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'user_message_chunk':
        return this.#user(contentOf(update.content), update.messageId);
      case 'agent_message_chunk':
        return update.content.type === 'text'
          ? this.#append('text', update.content.text, update.messageId)
          : this.#file(update.content);
      case 'agent_thought_chunk':
        return this.#append('reasoning', textOf(update.content), update.messageId);
      case 'tool_call':
      case 'tool_call_update':
        return this.#call(update);
      case 'notice':
        if (update.title.endsWith('was taken back')) this.#takeBack();
        return;
      default:
    }
  }

  /** Adds to a text of the same message, or begins one. */
  #append(type: 'text' | 'reasoning', text: string, messageId: string | null | undefined): void {
    const key = `${type} ${messageId ?? ''}`;
    const last = this.#pieces.at(-1);
    if (last?.type === type && key === this.#last)
      this.#pieces[this.#pieces.length - 1] = { ...last, text: last.text + text };
    else this.#pieces.push({ type, text });
    this.#last = key;
  }

  #user(content: Content, messageId: string | null | undefined): void {
    const key = `user ${messageId ?? ''}`;
    const last = this.#pieces.at(-1);
    if (last?.type === 'user' && key === this.#last)
      this.#pieces[this.#pieces.length - 1] = { ...last, content: [...last.content, content] };
    else this.#pieces.push({ type: 'user', content: [content] });
    this.#last = key;
  }

  #file(block: ContentBlock): void {
    const content = contentOf(block);
    if (content.type === 'file') this.#pieces.push(content);
  }

  #call(update: ToolCall | ToolCallUpdate): void {
    const id = update.toolCallId;
    const place = this.#places.get(id) ?? this.#pieces.length;
    const known = this.#pieces[place];
    const before: CallPiece =
      known?.type === 'call' ? known : { type: 'call', id, name: update.name ?? '', input: undefined };
    this.#places.set(id, place);
    this.#pieces[place] = {
      ...before,
      ...(update.rawInput === undefined ? {} : { input: update.rawInput }),
      ...resultOf(update),
    };
  }

  #takeBack(): void {
    const last = this.#pieces.at(-1);
    if (last?.type === 'text' || last?.type === 'reasoning') this.#pieces.pop();
    this.#last = '';
  }
}

function resultOf({ status, content, rawOutput }: ToolCall | ToolCallUpdate): {
  readonly result?: CallResult;
} {
  if (status !== 'completed' && status !== 'failed') return {};
  const texts = (content ?? []).flatMap((part) => (part.type === 'content' ? [textOf(part.content)] : []));
  // A call without an output at all got no result before its run ended.
  if (rawOutput === undefined && content === undefined) return {};
  const output: unknown = rawOutput ?? texts.join('');
  return { result: status === 'failed' ? { output, isError: true } : { output } };
}

function textOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : '';
}

function contentOf(block: ContentBlock): Content {
  if (block.type === 'text') return { type: 'text', text: block.text };
  return fileOf(block);
}

function fileOf(block: ContentBlock): FileContent {
  if (block.type !== 'image' && block.type !== 'audio')
    throw new Error(`An editor was shown a ${block.type}.`);
  return { type: 'file', mediaType: block.mimeType, data: block.data };
}
