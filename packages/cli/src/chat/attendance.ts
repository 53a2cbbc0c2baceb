import type { Recipient } from '../keyboard/message-queue.ts';
import { readMeanwhile, type MeanwhileParts } from './read-meanwhile.ts';

export interface AttendanceParts extends Pick<
  MeanwhileParts,
  'screen' | 'keyboard' | 'line' | 'signal' | 'onEnd'
> {
  /** Called on Ctrl-C while the work is being stopped. */
  readonly onImpatience: () => void;
}

/** A person's presence while work is in progress: the person can stop it, and write messages meanwhile. */
export class Attendance {
  readonly #parts: AttendanceParts;
  readonly #stop = new AbortController();
  readonly #unwatch: () => void;
  #recipient: Recipient | undefined;
  #isForMessage = false;
  #endReading: () => void = () => undefined;
  /** Settles once the queued messages are back in the line. */
  #recalled = Promise.resolve();

  constructor(parts: AttendanceParts) {
    this.#parts = parts;
    this.#unwatch = parts.keyboard.watchInterrupt(() => void this.#onStop());
    this.listen();
  }

  /** Aborted to stop the work. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** True if the work was stopped to send a message. */
  get isForMessage(): boolean {
    return this.#isForMessage;
  }

  /** Reads what is typed. */
  listen(): void {
    this.#endReading = readMeanwhile({
      ...this.#parts,
      onStop: () => this.#onStop(),
      onEscape: () => this.#onEscape(),
    });
  }

  /** Leaves the keys to a question. */
  pause(): void {
    this.#endReading();
  }

  /** Sends messages to a run from now on. */
  steer(recipient: Recipient): void {
    if (this.stopped.aborted) return;
    this.#recipient = recipient;
    this.#parts.line.queue.deliverTo(recipient);
  }

  /** Ends the attendance after the work. Messages that were not read are then in the queue or in the line. */
  async end(): Promise<void> {
    const { line, signal } = this.#parts;
    this.#recipient = undefined;
    line.queue.deliverTo(undefined);
    await this.#recalled;
    // Messages of a chat that ends stay in the session, for its next run.
    if (!signal.aborted) await line.queue.takeBack();
    this.#endReading();
    this.#unwatch();
  }

  /** Stops the work, and puts the queued messages back into the line. Called again, reports the person's impatience. */
  #onStop(): Promise<void> {
    const { line, screen, onImpatience } = this.#parts;
    if (this.stopped.aborted) {
      onImpatience();
    } else {
      line.queue.deliverTo(undefined);
      this.#recalled = line.recall();
      screen.note('Stopping … (press again to end the chat now)');
      this.#stop.abort();
    }
    return this.#recalled;
  }

  /**
   * Stops the work, so that the queued messages are sent next, unless the run has read them already. With an empty queue it
   * acts like Ctrl-C, but pressing it again does not end the chat.
   */
  async #onEscape(): Promise<void> {
    const { screen, line } = this.#parts;
    const { queue } = line;
    if (this.stopped.aborted) return;
    if (queue.isEmpty) return this.#onStop();
    queue.deliverTo(undefined);
    await queue.takeBack();
    if (this.stopped.aborted) return;
    if (queue.isEmpty) {
      // Stopping the run now would leave its answer to the message unwritten.
      screen.note(screen.paintNotes.dim('  (not stopped: the message was read already)'));
      queue.deliverTo(this.#recipient);
    } else {
      this.#isForMessage = true;
      screen.note('Stopping, to send it …');
      this.#stop.abort();
    }
  }
}
