/** Remembers the texts that a client has shown, for code that waits for one. */
export class ShownTexts {
  #shown = '';
  #changed = Promise.withResolvers<void>();

  note(text: string): void {
    this.#shown += `${text}\n`;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  readonly shown = async (text: string): Promise<void> => {
    while (!this.#shown.includes(text)) await this.#changed.promise;
  };
}
