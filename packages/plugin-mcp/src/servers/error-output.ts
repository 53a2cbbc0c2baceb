import type { Readable } from 'node:stream';

import type { Logger } from '@shallot/core';

const maxTail = 2000;
const maxLine = 1000;
/** The most logged lines per program. */
const maxLines = 1000;

/** The stderr of a program: lines are logged, and the end is kept for errors. */
export class ErrorOutput {
  /** The last characters. */
  tail = '';
  readonly #log: Logger;
  #line = '';
  #lines = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  follow(stream: Readable): void {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => this.#add(text));
    stream.on('error', (error) => this.#log.debug({ err: error }, 'stderr of the server cannot be read'));
  }

  #add(text: string): void {
    this.tail = (this.tail + text).slice(-maxTail);
    if (this.#lines >= maxLines) return;
    const [first = '', ...others] = text.split('\n', maxLines + 1);
    this.#line = (this.#line + first).slice(0, maxLine);
    for (const next of others) {
      this.#note();
      this.#line = next.slice(0, maxLine);
    }
  }

  #note(): void {
    if (this.#line.trim() === '' || this.#lines >= maxLines) return;
    this.#lines += 1;
    this.#log.debug({ stderr: this.#line }, 'the server writes');
    if (this.#lines === maxLines) this.#log.debug('what the server writes further is not logged');
  }
}
