/** Sends a piece of text that belongs to a message. */
export type ShowText = (text: string, messageId: string) => Promise<void>;

/**
 * The text of one message in an editor. Chunks cannot be taken back. If a new draft begins like the one before, only
 * the rest is sent; any other draft becomes a message of its own, after a call of `retracted`.
 */
export class ShownText {
  readonly #show: ShowText;
  readonly #retracted: () => Promise<void>;
  readonly #newId: () => string;
  #id: string;
  #shown = '';
  /** The text of the present draft, while it is not yet longer than what is shown; undefined once it is. */
  #again: string | undefined;

  constructor(show: ShowText, retracted: () => Promise<void>, newId: () => string) {
    this.#show = show;
    this.#retracted = retracted;
    this.#newId = newId;
    this.#id = newId();
  }

  /** Shows more of the draft. */
  async add(text: string): Promise<void> {
    if (this.#again === undefined) return this.#send(text);
    this.#again += text;
    const draft = this.#again;
    if (this.#shown.startsWith(draft)) return;
    this.#again = undefined;
    await this.#replace(draft);
  }

  /** The text that is shown of a message that has not ended. */
  get open(): string {
    return this.#shown;
  }

  /** Begins another draft of the same message. */
  restart(): void {
    if (this.#shown !== '') this.#again = '';
  }

  /** Ends the message with its stored text, whatever was streamed of it. */
  async end(text: string): Promise<void> {
    if (text !== this.#shown) await this.#replace(text);
    this.leave();
  }

  /** Ends the message as it is shown, without further text. */
  leave(): void {
    this.#shown = '';
    this.#again = undefined;
    this.#id = this.#newId();
  }

  async #replace(text: string): Promise<void> {
    if (text.startsWith(this.#shown)) return this.#send(text.slice(this.#shown.length));
    await this.#retracted();
    this.#shown = '';
    this.#id = this.#newId();
    await this.#send(text);
  }

  async #send(text: string): Promise<void> {
    if (text === '') return;
    this.#shown += text;
    await this.#show(text, this.#id);
  }
}
