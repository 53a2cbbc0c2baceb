/** Keeps the last bytes of what is pushed, in a ring that is allocated with the first of them. */
export class Tail {
  readonly #maxBytes: number;
  #ring = Buffer.alloc(0);
  /** The position of the next byte. */
  #at = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The number of bytes that are no longer kept. */
  get dropped(): number {
    return Math.max(0, this.#bytes - this.#maxBytes);
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** Adds a copy of a piece. */
  push(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#ring.length === 0) this.#ring = Buffer.alloc(this.#maxBytes);
    this.#bytes += piece.length;
    const kept = piece.subarray(-this.#maxBytes);
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
