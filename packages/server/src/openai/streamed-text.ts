import { textOf, type AssistantMessage } from '@shallot/core';

import type { FeedEvent } from '../events/feed-event.ts';

/** The text of a run for a client: the texts of all steps, with a blank line between them. */
export class StreamedText {
  readonly #isWhole: boolean;
  /** The texts of committed answers. */
  #texts: string[] = [];
  /** The texts of the draft by the index of their parts. Other parts leave holes. */
  #draft: string[] = [];
  #hasDraft = false;
  #shown = '';
  /** True if the client has the whole draft. */
  #isLevel = true;

  /** With `isWhole`, only the last answer is shown, after it is committed. */
  constructor({ isWhole }: { readonly isWhole: boolean }) {
    this.#isWhole = isWhole;
  }

  get text(): string {
    return this.#isWhole ? (this.#texts.at(-1) ?? '') : joined(this.#texts);
  }

  /** Returns the text that an event adds; undefined if the client was shown a different text. */
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

  /** Forgets the run, but not the text that the client was shown. */
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

  /**
   * Returns the part of a text that the client does not have. It is empty if an earlier draft already showed more, and
   * undefined if the client was shown a different text.
   */
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
