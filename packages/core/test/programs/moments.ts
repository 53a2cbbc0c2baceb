/** Returns a whole number from 0 up to, not including, `limit`. */
export type Random = (limit: number) => number;

/** The moments at which a disturbance may strike a process. Once the process is dead, none of its moments passes. */
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

  /** Calls `strike` at the nth moment from now. Cancels the previous disturbance if it has not taken effect. */
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
      // Parallel work reaches its next moments in a random order.
      for (let turns = this.#random(4); turns > 0; turns -= 1) await Promise.resolve();
    }
    if (this.#isDead) await new Promise(() => {});
  }

  die(): void {
    this.#isDead = true;
    this.#death.resolve('died');
  }

  /** Makes model calls fail until the next call of `strikeAt`. */
  failModel(): void {
    this.#isModelFailing = true;
  }

  /** Makes the next call of `passHook` throw. */
  breakHook(): void {
    this.#isHookBreaking = true;
  }

  /** Throws if `breakHook` was called since the last throw. */
  passHook(): void {
    if (!this.#isHookBreaking || this.#isDead) return;
    this.#isHookBreaking = false;
    throw new Error('the hook is broken');
  }

  /** Passes the moment of a model call. Throws if the model has to fail. */
  async passModel(): Promise<void> {
    await this.pass();
    if (this.#isModelFailing) throw new Error('the model cannot be reached');
  }
}
