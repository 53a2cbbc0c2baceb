import type { Readable } from 'node:stream';

/** The most bytes of output that are kept. */
const maxBytes = 1_000_000;

/** Keeps the beginning of a stream's output; the rest is read and dropped. */
export class BoundedOutput {
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(stream: Readable) {
    stream.on('data', (piece: Buffer) => this.#add(piece));
    // Output before an error still counts.
    stream.on('error', () => undefined);
  }

  /** True if something was dropped. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }

  #add(piece: Buffer): void {
    const room = maxBytes - this.#bytes;
    if (piece.length > room) this.#isCut = true;
    if (room <= 0) return;
    const kept = piece.subarray(0, room);
    this.#pieces.push(kept.length === piece.length ? kept : Buffer.from(kept));
    this.#bytes += kept.length;
  }
}
