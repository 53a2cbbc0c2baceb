import { randomUUID } from 'node:crypto';

export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
}

/** The run that reads messages while it works. Its promises never reject. */
export interface Recipient {
  /** Sends a message. Resolves to false if the run does not take it; the message then waits for the end of the run. */
  send(message: QueuedMessage): Promise<boolean>;
  /** Takes a message back. Resolves to false if the run has read it. */
  unsend(id: string): Promise<boolean>;
}

interface Entry extends QueuedMessage {
  /** The run that has the message, but may not have read it. */
  recipient: Recipient | undefined;
}

/** The messages that no run has read yet, in order. They go to the run in progress; without one, they wait. */
export class MessageQueue {
  #entries: readonly Entry[] = [];
  #recipient: Recipient | undefined;
  /** Settles once the last sending or taking back is over, since these happen one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(text: string): void {
    this.#entries = [...this.#entries, { id: `message_${randomUUID()}`, text, recipient: undefined }];
    void this.#send();
  }

  /** Sends the queued messages, and those added later, to a run. With undefined, they wait. */
  deliverTo(recipient: Recipient | undefined): void {
    this.#recipient = recipient;
    void this.#send();
  }

  /** Removes a message that the run has read, and returns its text; undefined if it is not in the queue. */
  read(id: string): string | undefined {
    const entry = this.#entries.find((each) => each.id === id);
    if (entry !== undefined) this.#remove(entry);
    return entry?.text;
  }

  /** Takes the last message out of the queue. Resolves to its text; undefined if it was read, or there is none. */
  takeLast(): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const entry = this.#entries.at(-1);
      if (entry === undefined) return undefined;
      const isBack = await isUnread(entry);
      this.#remove(entry);
      return isBack ? entry.text : undefined;
    });
  }

  /** Takes all messages back from the run. Those that the run has not read stay in the queue. */
  takeBack(): Promise<void> {
    return this.#inTurn(async () => {
      for (const entry of this.#entries) {
        if (await isUnread(entry)) entry.recipient = undefined;
        else this.#remove(entry);
      }
    });
  }

  /** Removes the first message, and returns it. Must not be called while a run has messages. */
  next(): string | undefined {
    const [first] = this.#entries;
    if (first !== undefined) this.#remove(first);
    return first?.text;
  }

  /** Removes all messages, and returns them. Must not be called while a run has messages. */
  drain(): readonly string[] {
    const texts = this.#entries.map(({ text }) => text);
    this.#entries = [];
    return texts;
  }

  #send(): Promise<void> {
    return this.#inTurn(async () => {
      for (const entry of this.#entries.filter(({ recipient }) => recipient === undefined)) {
        const recipient = this.#recipient;
        // Stops at a message that must wait, because later ones must not overtake it.
        if (recipient === undefined || !(await recipient.send(entry))) return;
        entry.recipient = recipient;
      }
    });
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task);
    this.#last = turn;
    return turn;
  }

  #remove(entry: Entry): void {
    this.#entries = this.#entries.filter((each) => each !== entry);
  }
}

async function isUnread({ id, recipient }: Entry): Promise<boolean> {
  return recipient === undefined || recipient.unsend(id);
}
