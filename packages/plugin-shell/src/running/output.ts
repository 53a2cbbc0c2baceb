import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

import { Tail } from './tail.ts';

/** An output as it is shown. */
export interface ShownOutput {
  readonly text: string;
  readonly isCut: boolean;
  readonly isBinary: boolean;
}

/** The memory that the head of an output takes at first. */
const firstBytes = 64 * 1024;

/** The bytes that are made readable before other work gets a turn. */
const sliceBytes = 128 * 1024;

/** Keeps the head and the tail of an output, in memory that grows with it only up to a limit. */
export class Output {
  readonly #half: number;
  #head: Buffer;
  #headBytes = 0;
  readonly #tail: Tail;
  #bytes = 0;
  #isBinary = false;

  constructor(maxBytes: number) {
    this.#half = Math.floor(maxBytes / 2);
    this.#head = Buffer.alloc(Math.min(this.#half, firstBytes));
    this.#tail = new Tail(this.#half);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a copy of a piece. */
  push(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#isBinary ||= piece.includes(0);
    this.#makeRoom(this.#headBytes + piece.length);
    const inHead = piece.copy(this.#head, this.#headBytes);
    this.#headBytes += inHead;
    if (inHead < piece.length) this.#tail.push(piece.subarray(inHead));
  }

  /** Returns the output to show, with a note about what was left out; only a note if the output is binary. */
  async show(): Promise<ShownOutput> {
    const isBinary = this.#isBinary;
    if (isBinary) return { text: `[The output is binary: ${this.#bytes} bytes.]`, isCut: true, isBinary };
    const head = this.#head.subarray(0, this.#headBytes);
    const tail = this.#tail.read();
    const left = this.#tail.dropped;
    if (left === 0) {
      const all = tail.length === 0 ? head : Buffer.concat([head, tail]);
      return { text: await readable(all), isCut: false, isBinary };
    }
    const note = `\n[${left} of ${this.#bytes} bytes are left out here. Write the output to a file, or filter it, to see them.]\n`;
    // Neither end is cut within a character.
    const begin = await readable(head, true);
    return {
      text: begin + note + (await readable(tail.subarray(continuationBytes(tail)))),
      isCut: true,
      isBinary,
    };
  }

  #makeRoom(bytes: number): void {
    const { length } = this.#head;
    if (bytes <= length || length === this.#half) return;
    const larger = Buffer.alloc(Math.min(this.#half, Math.max(bytes, 2 * length)));
    this.#head.copy(larger, 0, 0, this.#headBytes);
    this.#head = larger;
  }
}

/**
 * Returns bytes as text, without control sequences for terminals. `isPart` leaves out an incomplete character at the
 * end.
 */
async function readable(bytes: Buffer, isPart = false): Promise<string> {
  const decoder = new TextDecoder();
  const texts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at > 0) await setImmediate();
    const slice = sliceAt(bytes, at);
    at += slice.length;
    const text = decoder.decode(slice, { stream: isPart || at < bytes.length });
    const isPlain = !text.includes('\u001B') && !text.includes('\u009B');
    texts.push(isPlain ? text : stripVTControlCharacters(text));
  }
  return texts.join('');
}

/** Returns the next slice, which ends with a line or before a control sequence, so that it cuts none. */
function sliceAt(bytes: Buffer, at: number): Buffer {
  const slice = bytes.subarray(at, at + sliceBytes);
  if (at + slice.length === bytes.length) return slice;
  const end = Math.max(slice.lastIndexOf('\n') + 1, slice.lastIndexOf(0x1b));
  return end > 0 ? slice.subarray(0, end) : slice;
}

function continuationBytes(bytes: Buffer): number {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, start);
}
