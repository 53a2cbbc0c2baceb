/** Keeps the last bytes of what is pushed, in a ring that is allocated once. */
export class Tail {
  readonly #ring: Buffer;
  /** The position of the next byte. */
  #at = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#ring = Buffer.alloc(maxBytes);
  }

  /** The number of bytes that are no longer kept. */
  get dropped(): number {
    return Math.max(0, this.#bytes - this.#ring.length);
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** Adds a copy of a piece. */
  push(piece: Buffer): void {
    this.#bytes += piece.length;
    const kept = piece.subarray(-this.#ring.length);
    const before = kept.copy(this.#ring, this.#at);
    const after = kept.copy(this.#ring, 0, before);
    this.#at = before < kept.length ? after : this.#at + before;
  }

  /** Returns a copy of the bytes that are kept. */
  read(): Buffer {
    const newer = this.#ring.subarray(0, this.#at);
    return this.dropped === 0 ? Buffer.from(newer) : Buffer.concat([this.#ring.subarray(this.#at), newer]);
  }

  clear(): void {
    this.#at = 0;
    this.#bytes = 0;
  }
}
