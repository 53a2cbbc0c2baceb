import { Ticker } from '../../base/ticker.ts';
import { modelError } from '../../contract/model-error.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { Blames } from '../parts/blames.ts';

/** How many looks make up the time of silence that is allowed: it ends up to one look late, and never early. */
const looks = 20;

/** What is allowed, and what is said when it is over. */
interface Limit {
  readonly ms: number;
  readonly option: 'modelIdleMs' | 'modelTimeoutMs';
  readonly what: string;
}

/** How long a call is waited for. */
interface Patience {
  readonly ticker: Ticker<SilenceWatch>;
  /** For silence. */
  readonly silence: Limit;
  /** For signs of life without a chunk; never less than for silence. */
  readonly signs: Limit;
  /** The latter, in looks. */
  readonly signLooks: number;
}

/** A run, as far as it knows whose an error is. */
interface BlamedRun {
  readonly blames: Blames;
}

/** Looks after the model calls of an agent, those that stream and those that answer in one piece. */
export class SilenceKeeper {
  readonly #streams: Patience;
  readonly #answers: Patience;

  /** `idleMs` is how long a stream may be silent, `timeoutMs` how long an answer in one piece, or the next chunk, may take. */
  constructor(idleMs: number, timeoutMs: number) {
    this.#streams = patience(
      { ms: idleMs, option: 'modelIdleMs', what: 'sent no chunk and no sign of life' },
      { ms: timeoutMs, option: 'modelTimeoutMs', what: 'sent signs of life, but no chunk' },
    );
    const answer = { ms: timeoutMs, option: 'modelTimeoutMs', what: 'returned no answer' } as const;
    this.#answers = patience(answer, answer);
  }

  /** Watches a call until `stop` is called on what this returns. */
  watch(run: BlamedRun, model: string, frame: Frame, streams: boolean): SilenceWatch {
    const watch = new SilenceWatch(streams ? this.#streams : this.#answers, run, model, frame);
    watch.start();
    return watch;
  }

  stop(): void {
    this.#streams.ticker.stop();
    this.#answers.ticker.stop();
  }
}

function patience(silence: Limit, signs: Limit): Patience {
  const everyMs = silence.ms / looks;
  const ticker = new Ticker<SilenceWatch>(everyMs, (watch) => watch.look());
  // Signs of life are a reason to wait longer, never to wait less.
  return { ticker, silence, signs, signLooks: Math.max(looks, Math.ceil(signs.ms / everyMs)) };
}

/** Ends one model call when it has gone silent, or has shown nothing but signs of life for too long. */
export class SilenceWatch {
  readonly #patience: Patience;
  readonly #run: BlamedRun;
  readonly #model: string;
  readonly #frame: Frame;
  #chunks = 0;
  #signs = 0;
  #seenChunks = 0;
  #seenSigns = 0;
  /** How many looks in a row saw nothing new. The first may have come at once, so it does not count. */
  #silent = -1;
  /** How many saw no new chunk. */
  #chunkless = -1;
  #waiting = 0;

  constructor(patience: Patience, run: BlamedRun, model: string, frame: Frame) {
    this.#patience = patience;
    this.#run = run;
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

  /** Counts a sign of life. */
  signed(): void {
    this.#signs += 1;
  }

  look(): void {
    const hasChunk = this.#chunks !== this.#seenChunks || this.#waiting > 0;
    const hasSign = hasChunk || this.#signs !== this.#seenSigns;
    this.#seenChunks = this.#chunks;
    this.#seenSigns = this.#signs;
    this.#chunkless = hasChunk ? 0 : this.#chunkless + 1;
    this.#silent = hasSign ? 0 : this.#silent + 1;
    const { silence, signs, signLooks } = this.#patience;
    if (this.#silent >= looks) this.#end(silence);
    else if (this.#chunkless >= signLooks) this.#end(signs);
  }

  start(): void {
    this.#patience.ticker.add(this);
  }

  stop(): void {
    this.#patience.ticker.drop(this);
  }

  #end({ what, ms, option }: Limit): void {
    const error = modelError('MODEL_IDLE', {
      message: `The model ${this.#model} ${what} for ${ms} ms. Try again, or raise ${option}.`,
    });
    this.#run.blames.model(error);
    this.#frame.close(error);
  }
}
