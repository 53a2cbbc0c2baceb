import { textOf, type AssistantMessage } from '@shallot/core';

import type { FeedEvent } from '../events/feed-event.ts';

/** The text of a run that a client gets: that of all its steps, with a blank line between them. */
export class StreamedText {
  readonly #isWhole: boolean;
  /** The texts of committed answers. */
  #texts: string[] = [];
  /** By the index of the part; the other parts leave holes. */
  #draft: string[] = [];
  #hasDraft = false;
  #shown = '';
  /** True if the client has all of the draft. */
  #isLevel = true;

  /** `isWhole`: the last answer alone is shown, once it is there. */
  constructor({ isWhole }: { readonly isWhole: boolean }) {
    this.#isWhole = isWhole;
  }

  get text(): string {
    return this.#isWhole ? (this.#texts.at(-1) ?? '') : joined(this.#texts);
  }

  /** Returns the text that an event adds; undefined if the client has been shown something else. */
  take(event: FeedEvent): string | undefined {
    switch (event.type) {
      case 'text-delta':
        return this.#takeDelta(event);
      case 'message':
        return event.message.role === 'assistant' ? this.#commit(event.message) : '';
      case 'restart':
        this.#dropDraft();
        this.#isLevel = false;
        return '';
      case 'reload':
        this.clear();
        return '';
      default:
        return '';
    }
  }

  /** Forgets the run, and not what the client has been shown. */
  clear(): void {
    this.#texts = [];
    this.#dropDraft();
    this.#isLevel = this.#shown === '';
  }

  #dropDraft(): void {
    this.#draft = [];
    this.#hasDraft = false;
  }

  #takeDelta({ index, text }: FeedEvent & { readonly type: 'text-delta' }): string | undefined {
    const isNext = index >= this.#draft.length - 1 && (this.#hasDraft || this.#texts.length === 0);
    this.#draft[index] = (this.#draft[index] ?? '') + text;
    if (this.#isWhole || text === '') return '';
    this.#hasDraft = true;
    if (!this.#isLevel || !isNext) return this.#show(joined([...this.#texts, this.#draft.join('')]));
    this.#shown += text;
    return text;
  }

  #commit(message: AssistantMessage): string | undefined {
    this.#texts = [...this.#texts, textOf(message)].filter((text) => text !== '');
    this.#dropDraft();
    if (this.#isWhole) return '';
    const more = this.#show(this.text);
    return this.#shown === this.text ? more : undefined;
  }

  /** Returns what a client lacks of a text. A draft may be behind what an earlier one has shown. */
  #show(text: string): string | undefined {
    if (text.startsWith(this.#shown)) {
      const more = text.slice(this.#shown.length);
      this.#shown = text;
      this.#isLevel = true;
      return more;
    }
    return this.#shown.startsWith(text) ? '' : undefined;
  }
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
