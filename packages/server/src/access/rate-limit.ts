import { ShallotError } from '@shallot/core';

import { nameOf, type Identity } from './identity.ts';

/** Counts the requests of each identity per minute, in this process alone. */
export class RateLimit {
  readonly #most: number;
  #minute = 0;
  #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Counts a request, and refuses it if its identity has sent too many within this minute.
   * @throws `server/TOO_MANY`
   */
  count(identity: Identity): void {
    const minute = Math.floor(Date.now() / 60_000);
    if (minute !== this.#minute) this.#counts = new Map();
    this.#minute = minute;
    const who = JSON.stringify([identity.owner, nameOf(identity)]);
    const count = (this.#counts.get(who) ?? 0) + 1;
    this.#counts.set(who, count);
    if (count <= this.#most) return;
    throw new ShallotError('server/TOO_MANY', {
      message: `More than ${this.#most} requests came within a minute. Wait, then go on more slowly.`,
    });
  }
}
