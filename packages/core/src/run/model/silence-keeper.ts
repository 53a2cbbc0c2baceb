import { Ticker } from '../../base/ticker.ts';
import { modelError } from '../../contract/model-error.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { Blames } from '../blames.ts';

/** How many looks make up the time of silence that is allowed. */
const looks = 4;

/** How long silence is allowed, and what is said when it is over. */
interface Patience {
  readonly ticker: Ticker<SilenceWatch>;
  readonly ms: number;
  readonly option: 'modelIdleMs' | 'modelTimeoutMs';
  readonly what: string;
}

/** Looks after the model calls of an agent, those that stream and those that answer in one piece. */
export class SilenceKeeper {
  readonly #streams: Patience;
  readonly #answers: Patience;

  /** `idleMs` is how long a stream may be silent, `timeoutMs` how long an answer in one piece may take. */
  constructor(idleMs: number, timeoutMs: number) {
    this.#streams = patience(idleMs, 'modelIdleMs', 'sent no chunk');
    this.#answers = patience(timeoutMs, 'modelTimeoutMs', 'gave no answer');
  }

  /** Watches a call until `stop` is called on what this returns. */
  watch(blames: Blames, model: string, frame: Frame, streams: boolean): SilenceWatch {
    const watch = new SilenceWatch(streams ? this.#streams : this.#answers, blames, model, frame);
    watch.start();
    return watch;
  }

  stop(): void {
    this.#streams.ticker.stop();
    this.#answers.ticker.stop();
  }
}

function patience(ms: number, option: Patience['option'], what: string): Patience {
  return { ticker: new Ticker(ms / looks, (watch) => watch.look()), ms, option, what };
}

/** Ends one model call when it has gone silent: no chunk for `modelIdleMs`, or no answer in `modelTimeoutMs`. */
export class SilenceWatch {
  readonly #patience: Patience;
  readonly #blames: Blames;
  readonly #model: string;
  readonly #frame: Frame;
  #chunks = 0;
  #seen = 0;
  /** How many looks in a row saw nothing new. The first may have come at once, so it does not count. */
  #quiet = -1;
  #waiting = 0;

  constructor(patience: Patience, blames: Blames, model: string, frame: Frame) {
    this.#patience = patience;
    this.#blames = blames;
    this.#model = model;
    this.#frame = frame;
  }

  /** Counts a chunk; time that the consumer takes is not the model's silence. */
  passed(pressure: void | Promise<void>): void | Promise<void> {
    this.#chunks += 1;
    if (pressure === undefined) return undefined;
    this.#waiting += 1;
    const taken = (): void => {
      this.#waiting -= 1;
      this.#chunks += 1;
    };
    pressure.then(taken, taken);
    return pressure;
  }

  look(): void {
    const isSilent = this.#chunks === this.#seen && this.#waiting === 0;
    this.#seen = this.#chunks;
    this.#quiet = isSilent ? this.#quiet + 1 : 0;
    if (this.#quiet >= looks) this.#frame.close(this.#error());
  }

  start(): void {
    this.#patience.ticker.add(this);
  }

  stop(): void {
    this.#patience.ticker.drop(this);
  }

  #error(): unknown {
    const { what, ms, option } = this.#patience;
    const error = modelError('MODEL_IDLE', {
      message: `The model ${this.#model} ${what} for ${ms} ms. Try again, or raise ${option}.`,
    });
    this.#blames.model(error);
    return error;
  }
}
