/** The largest number of empty places before the array is compacted. */
const slack = 64;

/** A first-in, first-out queue with constant cost per item. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  /** The index of the first item. */
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

  /** Replaces the last item. */
  replaceLast(item: T): void {
    this.#items[this.#items.length - 1] = item;
  }

  /** Removes and returns the first item; undefined if there is none. */
  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    // At least half of the array is empty then, so each item is moved once on average.
    if (this.#head >= slack && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Removes the items for which the function returns false. */
  retain(fits: (item: T) => boolean): void {
    // Removed items are undefined, and are all before the head.
    this.#items = (this.#items.slice(this.#head) as T[]).filter(fits);
    this.#head = 0;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
