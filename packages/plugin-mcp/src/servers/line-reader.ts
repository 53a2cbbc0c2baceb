/** Splits a byte stream into lines, in linear time. It buffers at most one line. */
export class LineReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Yields the lines that end in this piece. @throws if a line exceeds the limit */
  *push(piece: Buffer): Generator<string, void, void> {
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      this.#hold(piece.subarray(from, end));
      from = end + 1;
      yield this.#take();
    }
    this.#hold(piece.subarray(from));
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#held += piece.length;
    if (this.#held > this.#maxBytes) {
      this.#take();
      throw new Error(`a line is longer than ${this.#maxBytes} bytes`);
    }
    this.#pieces.push(piece);
  }

  #take(): string {
    const line = Buffer.concat(this.#pieces).toString().replace(/\r$/, '');
    this.#pieces = [];
    this.#held = 0;
    return line;
  }
}
