import type { AssistantMessage } from '@shallot/core';

import { inputChunk, partChunks, restChunks } from './part-chunks.ts';
import type { UiChunk } from './ui-chunk.ts';

type AssistantPart = AssistantMessage['content'][number];

/** A piece of an answer that the model is writing. */
export type Delta =
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly index: number; readonly text: string }
  | {
      readonly type: 'tool-call-delta';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly text: string;
    };

/** The part of an answer that the client was shown while the model writes it. */
export class Draft {
  /** The parts by their index in the answer, in the order in which the client has them. */
  #parts = new Map<number, ShownPart>();
  #count = 0;

  /** Returns the chunks that show a delta. */
  take(delta: Delta): readonly UiChunk[] {
    const shown = this.#parts.get(delta.index);
    if (delta.type === 'tool-call-delta') return this.#takeInput(delta, shown);
    if (delta.text === '') return [];
    const kind = delta.type === 'text-delta' ? 'text' : 'reasoning';
    const id = shown?.id ?? `draft-${(this.#count += 1)}`;
    this.#parts.set(delta.index, { id, kind, text: (shown?.text ?? '') + delta.text });
    const start = shown === undefined ? [{ type: `${kind}-start`, id }] : [];
    return [...start, { type: `${kind}-delta`, id, delta: delta.text }];
  }

  #takeInput(
    { index, id, name, text }: Delta & { readonly type: 'tool-call-delta' },
    shown: ShownPart | undefined,
  ): readonly UiChunk[] {
    const toolCallId = shown?.id ?? id;
    // A call without a name is shown once its message is committed.
    if (toolCallId === undefined || (shown === undefined && name === undefined)) return [];
    if (shown === undefined) this.#parts.set(index, { id: toolCallId, kind: 'tool-call', text: name ?? '' });
    const start = shown === undefined ? [{ type: 'tool-input-start', toolCallId, toolName: name }] : [];
    const delta = text === '' ? [] : [{ type: 'tool-input-delta', toolCallId, inputTextDelta: text }];
    return [...start, ...delta];
  }

  /** Returns the chunks that complete the draft to this message; undefined if the client was shown something else. */
  commit({ id, content }: AssistantMessage): readonly UiChunk[] | undefined {
    const shown = [...this.#parts.values()];
    const visible = content.filter((part) => !isEmpty(part));
    if (shown.length > visible.length) return undefined;
    const chunks = visible.flatMap((part, index) => {
      const before = shown[index];
      return before === undefined ? partChunks(part, `${id}-${index}`) : completed(part, before);
    });
    this.clear();
    return chunks.includes(undefined) ? undefined : chunks.filter((chunk) => chunk !== undefined);
  }

  clear(): void {
    this.#parts = new Map();
  }
}

interface ShownPart {
  /** The id of the part in the stream; for a call the id of the call. */
  readonly id: string;
  readonly kind: 'text' | 'reasoning' | 'tool-call';
  /** The text so far; for a call the name of its tool. */
  readonly text: string;
}

function completed(part: AssistantPart, { id, kind, text }: ShownPart): readonly (UiChunk | undefined)[] {
  if (part.type === 'tool-call')
    return kind === part.type && id === part.id && text === part.name ? [inputChunk(part)] : [undefined];
  if (part.type !== 'text' && part.type !== 'reasoning') return [undefined];
  return kind === part.type && part.text.startsWith(text)
    ? restChunks(part, { id, shown: text })
    : [undefined];
}

function isEmpty(part: AssistantPart): boolean {
  return (part.type === 'text' || part.type === 'reasoning') && part.text === '';
}
