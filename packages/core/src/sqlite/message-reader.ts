import { getHeapStatistics } from 'node:v8';

import { decodeText, parseFrozen } from '../base/encode-text.ts';
import type { Message } from '../contract/messages.ts';
import { quoteSession } from '../sessions/stores/commit-checks.ts';
import type { Database } from './database.ts';
import { messageChecksum } from './message-rows.ts';
import type { SessionRow } from './session-row.ts';
import { damaged, failed } from './sqlite-errors.ts';

/** The time per slice in milliseconds, during which the event loop is blocked. */
const sliceMs = 8;

/** Reads the messages of a session in slices. */
export class MessageReader {
  readonly #database: Database;
  readonly #row: SessionRow;
  readonly #messages: Message[] = [];
  /** The position of the last message read. */
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

  /** Reads further messages: all, or one slice if `inParts` is true. @throws `STORE_DAMAGED`, `STORE_FAILED` */
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
      // The checksum proves that a commit wrote it, so it is a message.
      this.#messages.push(parseFrozen(text) as Message);
      if (inParts && performance.now() > end) return;
    }
    this.#isDone = true;
  }

  /** Returns all messages. @throws `STORE_DAMAGED` if their number is wrong */
  checked(): Message[] {
    const { length } = this.#messages;
    if (length === this.#row.messages) return this.#messages;
    throw damaged(
      this.#database.path,
      `session "${this.#row.session}" has ${length} messages instead of ${this.#row.messages}`,
    );
  }

  /**
   * Returns the error for a session that needs too much memory, since a process that runs out of memory ends without an
   * error. Messages are in memory as text and as objects, and working with them takes more.
   */
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

/** Reads from the last message back to the one with this id; undefined if there is none. @throws `STORE_DAMAGED` */
export function messagesBackTo(
  database: Database,
  { id, session }: SessionRow,
  messageId: string,
): Message[] | undefined {
  const messages: Message[] = [];
  const rows = database
    .prepare('SELECT position, message, crc FROM messages WHERE session_id = ? ORDER BY position DESC')
    .iterate(id);
  for (const { position, message: stored, crc } of rows) {
    const text = String(stored);
    if (crc !== messageChecksum(id, Number(position), text))
      throw damaged(database.path, `a part of session "${session}" was altered`);
    // The checksum proves that a commit wrote it, so it is a message.
    const message = parseFrozen(text) as Message;
    messages.push(message);
    if (message.id === messageId) return messages.toReversed();
  }
  return undefined;
}
