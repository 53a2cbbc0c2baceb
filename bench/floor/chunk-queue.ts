import type { Chunk } from './shapes.ts';

/** Turns pushed chunks into an async iterable, for subjects whose streams are consumed with `for await`. */
export class ChunkQueue implements AsyncIterable<Chunk> {
  #waiting: ((result: IteratorResult<Chunk>) => void) | undefined;
  readonly #chunks: Chunk[] = [];
  #closed = false;

  push(chunk: Chunk): void {
    const waiting = this.#waiting;
    if (!waiting) {
      this.#chunks.push(chunk);
      return;
    }
    this.#waiting = undefined;
    waiting({ done: false, value: chunk });
  }

  close(): void {
    this.#closed = true;
    this.#waiting?.({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    return { next: () => this.#next() };
  }

  #next(): Promise<IteratorResult<Chunk>> {
    const chunk = this.#chunks.shift();
    if (chunk) return Promise.resolve({ done: false, value: chunk });
    if (this.#closed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }
}
