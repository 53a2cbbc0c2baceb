import type { Client } from '@shallot/client';

import { Live } from './live.ts';

/** A session in the list. */
export type Line = Client extends { sessions(...args: never[]): AsyncIterable<infer L> } ? L : never;

/** The sessions in the list. */
export interface SessionListView {
  readonly lines: readonly Line[];
  /** True if the server has more sessions. */
  readonly hasMore: boolean;
  readonly isLoaded: boolean;
  readonly problem: string | undefined;
}

/** The number of sessions that are read at first, and by each further request. */
const pageSize = 50;

/** The sessions of a server, beginning with the one that changed last. */
export class SessionList {
  readonly view = new Live<SessionListView>({
    lines: [],
    hasMore: false,
    isLoaded: false,
    problem: undefined,
  });
  readonly #client: Client;
  #size = pageSize;
  #reading: Promise<void> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Reads the list again. If a read is already in progress, it returns that one. */
  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Shows more sessions: the next page, or up to `size` of them. */
  async more(size: number = this.#size + pageSize): Promise<void> {
    this.#size = Math.max(size, this.#size);
    await this.#reading;
    await this.read();
  }

  /** Sets the title of a session. */
  rename(id: string, title: string): Promise<void> {
    return this.#change(() => this.#client.call('PATCH /sessions/{id}', { params: { id }, body: { title } }));
  }

  /** Deletes a session, and the files that plugins keep for it. */
  delete(id: string): Promise<void> {
    return this.#change(() => this.#client.call('DELETE /sessions/{id}', { params: { id } }));
  }

  /** Makes a change, and then shows the list again. */
  async #change(change: () => Promise<unknown>): Promise<void> {
    try {
      await change();
    } catch (error) {
      this.#fail(error);
      return;
    }
    await this.more(this.#size);
  }

  async #read(): Promise<void> {
    const lines: Line[] = [];
    let hasMore = false;
    try {
      for await (const line of this.#client.sessions()) {
        if (lines.length === this.#size) {
          hasMore = true;
          break;
        }
        lines.push(line);
      }
      this.view.set({ lines, hasMore, isLoaded: true, problem: undefined });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    this.view.set({ ...this.view.value, isLoaded: true, problem });
  }
}
