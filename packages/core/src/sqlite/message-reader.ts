import { parseFrozen } from '../base/encode-text.ts';
import type { Message } from '../contract/messages.ts';
import type { Database } from './database.ts';
import { messageChecksum } from './message-rows.ts';
import type { SessionRow } from './session-row.ts';
import { damaged } from './sqlite-errors.ts';

/** How long messages are read at a time, in milliseconds: nothing else runs in the process meanwhile. */
const sliceMs = 8;

/** Reads the messages of a session, a part of them at a time. */
export class MessageReader {
  readonly #database: Database;
  readonly #row: SessionRow;
  readonly #messages: Message[] = [];
  /** The position of the last one that was read. */
  #last = 0;
  #bytes = 0;
  #isDone = false;

  constructor(database: Database, row: SessionRow) {
    this.#database = database;
    this.#row = row;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** How much text has been read. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reads on, to the end unless it is to be done in parts. @throws `STORE_DAMAGED` */
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
}
