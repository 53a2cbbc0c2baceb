import { stripVTControlCharacters } from 'node:util';

import { Tail } from './tail.ts';

/** Keeps the head and the tail of an output, in memory that does not grow with it. */
export class Output {
  readonly #head: Buffer;
  #headBytes = 0;
  readonly #tail: Tail;
  #bytes = 0;
  #isBinary = false;

  constructor(maxBytes: number) {
    const half = Math.floor(maxBytes / 2);
    this.#head = Buffer.alloc(half);
    this.#tail = new Tail(half);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a copy of a piece. */
  push(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#isBinary ||= piece.includes(0);
    const inHead = piece.copy(this.#head, this.#headBytes);
    this.#headBytes += inHead;
    this.#tail.push(piece.subarray(inHead));
  }

  /** Returns the output that is shown, with a note about what was left out. */
  show(): { readonly text: string; readonly isCut: boolean; readonly isBinary: boolean } {
    const isBinary = this.#isBinary;
    if (isBinary) return { text: `[The output is binary: ${this.#bytes} bytes.]`, isCut: true, isBinary };
    const head = this.#head.subarray(0, this.#headBytes);
    const tail = this.#tail.read();
    const left = this.#tail.dropped;
    if (left === 0) return { text: readable(Buffer.concat([head, tail])), isCut: false, isBinary };
    const note = `\n[${left} of ${this.#bytes} bytes are left out here. Write the output to a file, or filter it, to see them.]\n`;
    // Neither end is cut within a character.
    const text = readable(head, true) + note + readable(tail.subarray(continuationBytes(tail)));
    return { text, isCut: true, isBinary };
  }
}

function readable(bytes: Buffer, isPart = false): string {
  return stripVTControlCharacters(new TextDecoder().decode(bytes, { stream: isPart }));
}

function continuationBytes(bytes: Buffer): number {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, start);
}
