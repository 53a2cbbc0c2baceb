import { getHeapStatistics } from 'node:v8';

import { decodeText, parseFrozen } from '../base/encode-text.ts';
import type { Message } from '../contract/messages.ts';
import { quoteSession } from '../sessions/commit-checks.ts';
import type { Database } from './database.ts';
import { messageChecksum } from './message-rows.ts';
import type { SessionRow } from './session-row.ts';
import { damaged, failed } from './sqlite-errors.ts';

/** How long messages are read at a time, in milliseconds: nothing else runs in the process meanwhile. */
const sliceMs = 8;

/** Reads the messages of a session, a part of them at a time. */
export class MessageReader {
  readonly #database: Database;
  readonly #row: SessionRow;
  readonly #messages: Message[] = [];
  /** The position of the last one that was read. */
  #last = 0;
  readonly #limit = getHeapStatistics().heap_size_limit;
  #bytes = 0;
  #isDone = false;

  constructor(database: Database, row: SessionRow) {
    this.#database = database;
    this.#row = row;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Reads on, to the end unless it is to be done in parts. @throws `STORE_DAMAGED`, `STORE_FAILED` */
  read(inParts: boolean): void {
    const { id, session } = this.#row;
    const rows = this.#database
      .prepare(
        'SELECT position, message, crc FROM messages WHERE session_id = ? AND position > ? ORDER BY position',
      )
      .iterate(id, this.#last);
    const end = performance.now() + sliceMs;
    for (const { position, message, crc } of rows) {
      const text = String(message);
      this.#last = Number(position);
      this.#bytes += text.length;
      if (this.#bytes > this.#limit / 4) throw this.#tooLarge();
      if (crc !== messageChecksum(id, this.#last, text))
        throw damaged(this.#database.path, `a part of session "${session}" was altered`);
      // The checksum shows that it is what a commit wrote, and that was a message.
      this.#messages.push(parseFrozen(text) as Message);
      if (inParts && performance.now() > end) return;
    }
    this.#isDone = true;
  }

  /** All of them. @throws `STORE_DAMAGED` when there are not as many as there are to be */
  checked(): Message[] {
    const { length } = this.#messages;
    if (length === this.#row.messages) return this.#messages;
    throw damaged(
      this.#database.path,
      `session "${this.#row.session}" has ${length} messages instead of ${this.#row.messages}`,
    );
  }

  /** A process that runs out of memory ends without a word. What is read is there as text and as messages, and more is needed to work with these. */
  #tooLarge(): Error {
    const megabytes = (size: number): string => `${Math.round(size / 2 ** 20)} MB`;
    const session = quoteSession(decodeText(this.#row.session));
    return failed(
      this.#database.path,
      `has more than ${megabytes(this.#bytes)} of session ${session}, and this process may use ${megabytes(this.#limit)} in all`,
      'Give it more with node --max-old-space-size, or delete the session',
    );
  }
}
