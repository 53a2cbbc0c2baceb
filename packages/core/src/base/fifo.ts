/** The most places that taken items may leave behind before the rest is moved up. */
const slack = 64;

/** First in, first out: each item costs the same, however many wait. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  /** The place of the first item. */
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  get last(): T | undefined {
    return this.length === 0 ? undefined : this.#items.at(-1);
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Puts an item in the place of the last one. */
  replaceLast(item: T): void {
    this.#items[this.#items.length - 1] = item;
  }

  /** Takes the first item out. */
  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    // At least half of it is empty by then: each item is moved once on average.
    if (this.#head >= slack && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
