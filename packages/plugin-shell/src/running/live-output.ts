import { stripVTControlCharacters } from 'node:util';

import { Tail } from './tail.ts';

const everyMs = 200;
const maxBytes = 2000;

/**
 * Reports output as it arrives, at most every 200 ms and each time at most the last 2,000 bytes. Lines are reported
 * whole if their end arrives within that time.
 */
export class LiveOutput {
  readonly #report: (text: string) => void;
  readonly #waiting = new Tail(maxBytes);
  #timer: NodeJS.Timeout | undefined;

  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  push(piece: Buffer): void {
    this.#waiting.push(piece);
    if (this.#timer !== undefined) return;
    this.#flush('lines');
    this.#timer = setInterval(() => this.#tick(), everyMs);
  }

  /** Reports what is left. */
  end(): void {
    this.#stop();
    this.#flush('all');
  }

  #tick(): void {
    if (this.#waiting.isEmpty) this.#stop();
    else this.#flush(this.#waiting.read().includes('\n') ? 'lines' : 'all');
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #flush(what: 'lines' | 'all'): void {
    const bytes = this.#waiting.read();
    const { dropped } = this.#waiting;
    const end = what === 'all' ? bytes.length : bytes.lastIndexOf('\n') + 1;
    if (end === 0) return;
    this.#waiting.clear();
    this.#waiting.push(bytes.subarray(end));
    const text = bytes.subarray(0, end);
    if (text.includes(0)) return this.#report(`[${dropped + end} bytes of binary output]\n`);
    const note = dropped === 0 ? '' : `[${dropped} bytes are not shown]\n`;
    this.#report(note + stripVTControlCharacters(new TextDecoder().decode(text)));
  }
}
