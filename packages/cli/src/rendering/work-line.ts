import type { Screen } from '../terminal/screen.ts';

/** The time without output before the line is shown, and the interval of its updates, in milliseconds. */
const quietMs = 2000;
const everyMs = 1000;

/** Shows in the last line of a terminal that there has been no sign of activity, and for how long. */
export class WorkLine {
  readonly #screen: Screen;
  readonly #what: string;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = 0;

  constructor(screen: Screen, what: string) {
    this.#screen = screen;
    this.#what = what;
  }

  /** Notes the start, or a sign of activity. */
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
