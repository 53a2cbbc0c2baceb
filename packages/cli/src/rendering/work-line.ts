import type { Screen } from '../terminal/screen.ts';

/** How long nothing is heard before that is shown, and how often it is brought up to date, in milliseconds. */
const quietMs = 2000;
const everyMs = 1000;

/** Shows in the last line of a terminal that something is at work and nothing is heard of it, and for how long. */
export class WorkLine {
  readonly #screen: Screen;
  readonly #what: string;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = 0;

  constructor(screen: Screen, what: string) {
    this.#screen = screen;
    this.#what = what;
  }

  /** It begins, or something was heard of it. */
  heard(): void {
    this.#heardAt = performance.now();
    if (this.#screen.hasStatus) this.#timer ??= setInterval(() => this.#show(), everyMs);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#screen.status('');
  }

  #show(): void {
    const quiet = performance.now() - this.#heardAt;
    if (quiet >= quietMs) this.#screen.status(`${this.#what} … ${Math.round(quiet / 1000)} s`);
  }
}
