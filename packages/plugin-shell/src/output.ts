import { stripVTControlCharacters } from 'node:util';

/** Keeps the head and the tail of an output, in memory that does not grow with it. */
export class Output {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #bytes = 0;
  #isBinary = false;

  constructor(maxBytes: number) {
    this.#half = Math.floor(maxBytes / 2);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a piece, and returns what of it became part of the head. */
  push(piece: Buffer): Buffer {
    this.#bytes += piece.length;
    this.#isBinary ||= piece.includes(0);
    const head = piece.subarray(0, this.#half - this.#headBytes);
    if (head.length > 0) this.#head.push(Buffer.from(head));
    this.#headBytes += head.length;
    this.#pushToTail(piece.subarray(head.length).subarray(-this.#half));
    return head;
  }

  /** What is shown, with a note about what was left out. */
  show(): { readonly text: string; readonly isCut: boolean; readonly isBinary: boolean } {
    const isBinary = this.#isBinary;
    if (isBinary) return { text: `[The output is binary: ${this.#bytes} bytes.]`, isCut: true, isBinary };
    const tail = Buffer.concat(this.#tail).subarray(-this.#half);
    const left = this.#bytes - this.#headBytes - tail.length;
    const head = Buffer.concat(this.#head);
    if (left === 0) return { text: readable(Buffer.concat([head, tail])), isCut: false, isBinary };
    const note = `\n[${left} of ${this.#bytes} bytes are left out here. Write the output to a file, or filter it, to see them.]\n`;
    // Neither end is cut within a character.
    const text = readable(head, true) + note + readable(tail.subarray(continuationBytes(tail)));
    return { text, isCut: true, isBinary };
  }

  #pushToTail(piece: Buffer): void {
    if (piece.length === 0) return;
    // A copy: a slice would keep all of the piece in memory.
    this.#tail.push(Buffer.from(piece));
    this.#tailBytes += piece.length;
    // Many small pieces cost more than their bytes.
    if (this.#tailBytes < 2 * this.#half && this.#tail.length < 1000) return;
    this.#tail = [Buffer.from(Buffer.concat(this.#tail).subarray(-this.#half))];
    this.#tailBytes = this.#tail[0]?.length ?? 0;
  }
}

function readable(bytes: Buffer, isPart = false): string {
  return stripVTControlCharacters(new TextDecoder().decode(bytes, { stream: isPart }));
}

function continuationBytes(bytes: Buffer): number {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, start);
}
