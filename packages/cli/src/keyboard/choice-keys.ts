import { nameOf } from './edit-keys.ts';
import type { Key } from './keyboard.ts';

/**
 * The choice among numbered answers, made by keys. Nothing is chosen at first. Digits and spaces that choose are
 * kept, because they become text if more text follows.
 */
export class ChoiceKeys {
  readonly #size: number;
  readonly #several: boolean;
  readonly #picked = new Set<number>();
  #at: number | undefined;
  /** The digits and spaces that have chosen so far. */
  #typed = '';
  #touched = false;

  constructor(size: number, { several }: { readonly several: boolean }) {
    this.#size = size;
    this.#several = several;
  }

  /** The index of the marked choice; undefined if none is marked. */
  get at(): number | undefined {
    return this.#at;
  }

  get typed(): string {
    return this.#typed;
  }

  isPicked(index: number): boolean {
    return this.#picked.has(index);
  }

  /** The indexes of the answer; undefined as long as no key has chosen. */
  get answer(): readonly number[] | undefined {
    if (this.#several)
      return this.#touched ? [...this.#picked].toSorted((one, other) => one - other) : undefined;
    return this.#at === undefined ? undefined : [this.#at];
  }

  /** Takes a key that chooses. Returns false for others. */
  take(key: Key): boolean {
    const name = nameOf(key);
    if (name === 'up') return this.#move(-1);
    if (name === 'down') return this.#move(1);
    const { text = '' } = key;
    if (this.#several && text === ' ' && this.#at !== undefined) return this.#pick(this.#at, text);
    if (key.ctrl || key.meta || !/^\d$/.test(text)) return false;
    return this.#several ? this.#pick(Number(text) - 1, text) : this.#choose(text);
  }

  /** Undoes the choice. */
  drop(): void {
    this.#typed = '';
    this.#at = undefined;
    this.#touched = false;
    this.#picked.clear();
  }

  #move(by: number): true {
    const from = this.#at ?? (by > 0 ? -1 : this.#size);
    this.#at = (from + by + this.#size) % this.#size;
    this.#typed = '';
    this.#touched = true;
    return true;
  }

  #pick(index: number, text: string): boolean {
    if (index < 0 || index >= this.#size) return false;
    this.#touched = true;
    this.#typed += text;
    if (!this.#picked.delete(index)) this.#picked.add(index);
    return true;
  }

  /** Adds a digit to the number that is typed, and chooses the line with this number. Returns false if there is none. */
  #choose(digit: string): boolean {
    const number = Number(this.#typed + digit);
    if (number < 1 || number > this.#size) return false;
    this.#typed += digit;
    this.#at = number - 1;
    return true;
  }
}
