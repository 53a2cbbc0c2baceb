import { Writable } from 'node:stream';

/** A slow stream for tests that keeps what is written to it, or fails at every write. */
export class KeptStream extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly #failure: string | undefined;

  constructor({ isTTY = false, failure }: { isTTY?: boolean; failure?: string } = {}) {
    super({ decodeStrings: false, highWaterMark: 16 });
    this.isTTY = isTTY;
    this.#failure = failure;
  }

  override _write(text: string, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.#failure !== undefined && text !== '') {
      done(Object.assign(new Error(this.#failure), { code: this.#failure }));
      return;
    }
    this.text += text;
    setImmediate(done);
  }
}
