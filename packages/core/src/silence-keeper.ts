import type { ActiveRun } from './active-run.ts';
import type { Frame } from './frame.ts';
import { modelError } from './model-error.ts';
import { Ticker } from './ticker.ts';

/** How many looks make up the time of silence that is allowed. */
const looks = 4;

/** Looks after the model calls of an agent, those that stream and those that answer in one piece. */
export class SilenceKeeper {
  readonly #streams: Ticker<SilenceWatch>;
  readonly #answers: Ticker<SilenceWatch>;

  /** `idleMs` is how long a stream may be silent, `timeoutMs` how long an answer in one piece may take. */
  constructor(idleMs: number, timeoutMs: number) {
    this.#streams = new Ticker(idleMs / looks, (watch) => watch.look());
    this.#answers = new Ticker(timeoutMs / looks, (watch) => watch.look());
  }

  /** Watches a call until `stop` is called on what this returns. */
  watch(run: ActiveRun, model: string, frame: Frame, streams: boolean): SilenceWatch {
    const ticker = streams ? this.#streams : this.#answers;
    const watch = new SilenceWatch(ticker, run, model, frame, streams);
    ticker.add(watch);
    return watch;
  }

  stop(): void {
    this.#streams.stop();
    this.#answers.stop();
  }
}

/** Ends one model call when it has gone silent: no chunk for `modelIdleMs`, or no answer in `modelTimeoutMs`. */
export class SilenceWatch {
  readonly #ticker: Ticker<SilenceWatch>;
  readonly #run: ActiveRun;
  readonly #model: string;
  readonly #frame: Frame;
  readonly #streams: boolean;
  #chunks = 0;
  #seen = 0;
  /** How many looks in a row saw nothing new. The first may have come at once, so it does not count. */
  #quiet = -1;
  #waiting = 0;

  constructor(ticker: Ticker<SilenceWatch>, run: ActiveRun, model: string, frame: Frame, streams: boolean) {
    this.#ticker = ticker;
    this.#run = run;
    this.#model = model;
    this.#frame = frame;
    this.#streams = streams;
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

  stop(): void {
    this.#ticker.drop(this);
  }

  #error(): unknown {
    const { modelIdleMs, modelTimeoutMs } = this.#run.parts;
    const [what, ms, option] = this.#streams
      ? ['sent no chunk', modelIdleMs, 'modelIdleMs']
      : ['gave no answer', modelTimeoutMs, 'modelTimeoutMs'];
    const error = modelError('MODEL_IDLE', {
      message: `The model ${this.#model} ${what} for ${ms} ms. Try again, or raise ${option}.`,
    });
    this.#run.blames.model(error);
    return error;
  }
}
