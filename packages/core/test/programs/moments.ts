/** A whole number from 0 up to, not including, `limit`. */
export type Random = (limit: number) => number;

/** The moments of a process at which something may happen to it. Once it is dead, it gets past none. */
export class Moments {
  readonly #random: Random;
  readonly #death = Promise.withResolvers<'died'>();
  #isDead = false;
  #isModelFailing = false;
  #isHookBreaking = false;
  #left = 0;
  #strike = (): void => {};

  constructor(random: Random) {
    this.#random = random;
  }

  get died(): Promise<'died'> {
    return this.#death.promise;
  }

  /** Calls `strike` at the n-th moment from now. What was to happen before, and has not, will not. */
  strikeAt(moment: number, strike: () => void): void {
    this.#left = moment;
    this.#isModelFailing = false;
    this.#isHookBreaking = false;
    this.#strike = strike;
  }

  async pass(): Promise<void> {
    if (!this.#isDead) {
      this.#left -= 1;
      if (this.#left === 0) this.#strike();
      // Parallel work comes to its own moments in another order each time.
      for (let turns = this.#random(4); turns > 0; turns -= 1) await Promise.resolve();
    }
    if (this.#isDead) await new Promise(() => {});
  }

  die(): void {
    this.#isDead = true;
    this.#death.resolve('died');
  }

  /** Lets the model fail until the next strike is set. */
  failModel(): void {
    this.#isModelFailing = true;
  }

  /** Lets the next hook throw that comes to `passHook`. */
  breakHook(): void {
    this.#isHookBreaking = true;
  }

  /** Throws at once where a hook is to break. */
  passHook(): void {
    if (!this.#isHookBreaking || this.#isDead) return;
    this.#isHookBreaking = false;
    throw new Error('the hook is broken');
  }

  /** The moment at which the model is called. */
  async passModel(): Promise<void> {
    await this.pass();
    if (this.#isModelFailing) throw new Error('the model cannot be reached');
  }
}
