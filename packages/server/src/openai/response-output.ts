import type { AssistantMessage } from '@shallot/core';

import type { FeedEvent } from '../events/feed-event.ts';
import {
  addText,
  beginItem,
  endItem,
  wholeItem,
  type OpenItem,
  type ResponseEvent,
} from './response-events.ts';
import { isShown, partItem, type ResponseItem, type ShownPart } from './response-items.ts';

type Delta = FeedEvent & { readonly type: 'text-delta' | 'reasoning-delta' };

/**
 * The output of a response as the client was shown it. A streamed item cannot be taken back. If it becomes invalid,
 * it ends as incomplete, and the final response does not contain it.
 */
export class ResponseOutput {
  readonly #isWhole: boolean;
  /** The parts of the answer in progress, by their index in it. */
  #draft = new Map<number, OpenItem>();
  /** The ids of complete items, each with the id by which the client knows it. */
  readonly #shown = new Map<string, string>();
  #next = 0;
  #drafts = 0;

  /** With `isWhole`, texts are shown only at the end. */
  constructor({ isWhole }: { readonly isWhole: boolean }) {
    this.#isWhole = isWhole;
  }

  /** Returns the events for a delta of the answer in progress. */
  take({ type, index, text }: Delta): readonly ResponseEvent[] {
    if (text === '' || (this.#isWhole && type === 'text-delta')) return [];
    const known = this.#draft.get(index);
    const open = known ?? this.#open(type === 'text-delta' ? 'message' : 'reasoning');
    this.#draft.set(index, open);
    open.text += text;
    return [...(known === undefined ? beginItem(open) : []), addText(open, text)];
  }

  /**
   * Returns the events that complete the draft to this answer. If the draft does not match, it ends as incomplete
   * first.
   */
  commit({ id, content }: AssistantMessage): readonly ResponseEvent[] {
    const parts = content.filter(isShown).filter(({ type }) => !this.#isWhole || type !== 'text');
    const drafts = [...this.#draft.values()];
    const holds = drafts.every((open, index) => isBeginning(open, parts[index]));
    const events = holds ? [] : this.drop();
    this.#draft = new Map();
    return [
      ...events,
      ...parts.flatMap((part, index) =>
        this.#complete(part, `${id}-${index}`, holds ? drafts[index] : undefined),
      ),
    ];
  }

  /** Returns the events that end the draft as incomplete, because it was taken back. */
  drop(): readonly ResponseEvent[] {
    const events = [...this.#draft.values()].flatMap((open) =>
      endItem(open, {
        ...partItem({ type: partTypes[open.type], text: open.text }, '', 'incomplete'),
        id: open.id,
      }),
    );
    this.#draft = new Map();
    return events;
  }

  /** Returns the events of complete items that the client does not have yet. */
  add(items: readonly ResponseItem[]): readonly ResponseEvent[] {
    return items.flatMap((item) => {
      if (this.#shown.has(item.id)) return [];
      this.#shown.set(item.id, item.id);
      if (item.type !== 'message') return wholeItem(item, this.#nextIndex());
      const open: OpenItem = {
        id: item.id,
        type: item.type,
        output_index: this.#nextIndex(),
        text: textIn(item),
      };
      return [...beginItem(open), addText(open, open.text), ...endItem(open, item)];
    });
  }

  /**
   * Returns an item with the id by which the client knows it, because a draft is shown before its message has an id.
   */
  named(item: ResponseItem): ResponseItem {
    return { ...item, id: this.#shown.get(item.id) ?? item.id };
  }

  #complete(part: ShownPart, id: string, open: OpenItem | undefined): readonly ResponseEvent[] {
    const item = partItem(part, id);
    if (this.#shown.has(item.id)) return [];
    const shown = open ?? this.#open(part.type === 'text' ? 'message' : 'reasoning');
    this.#shown.set(item.id, shown.id);
    const rest = part.text.slice(shown.text.length);
    shown.text = part.text;
    return [
      ...(open === undefined ? beginItem(shown) : []),
      ...(rest === '' ? [] : [addText(shown, rest)]),
      ...endItem(shown, { ...item, id: shown.id }),
    ];
  }

  #open(type: OpenItem['type']): OpenItem {
    this.#drafts += 1;
    return {
      id: `${type === 'message' ? 'msg' : 'rs'}_draft-${this.#drafts}`,
      type,
      output_index: this.#nextIndex(),
      text: '',
    };
  }

  #nextIndex(): number {
    this.#next += 1;
    return this.#next - 1;
  }
}

const partTypes = { message: 'text', reasoning: 'reasoning' } as const;

function isBeginning({ type, text }: OpenItem, part: ShownPart | undefined): boolean {
  return part !== undefined && partTypes[type] === part.type && part.text.startsWith(text);
}

function textIn({ content }: ResponseItem): string {
  const [part]: unknown[] = [content].flat();
  return typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : '';
}
