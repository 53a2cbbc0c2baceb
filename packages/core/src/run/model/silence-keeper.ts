import { Ticker } from '../../base/ticker.ts';
import { modelError, placeOfModel } from '../../contract/model-error.ts';
import type { ChatModel } from '../../contract/model.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { Blames } from '../parts/blames.ts';

/** The number of checks per time limit. A timeout may come up to one check late, but never early. */
const checksPerLimit = 20;

/** A time limit, and the description for its error. */
interface Limit {
  readonly ms: number;
  readonly option: 'modelIdleMs' | 'modelTimeoutMs';
  readonly what: string;
}

/** The time limits for a model call. */
interface CallLimits {
  readonly ticker: Ticker<SilenceWatch>;
  /** The time without any sign of life. */
  readonly silence: Limit;
  /** The time with signs of life but without a chunk; never shorter than `silence`. */
  readonly signs: Limit;
  /** The limit of `signs` as a number of checks. */
  readonly signChecks: number;
}

/** The errors of a run and their origins. */
interface BlamedRun {
  readonly blames: Blames;
}

/**
 * Applies the time limits to all model calls of an agent, with one timer for streams and one for answers in one piece.
 */
export class SilenceKeeper {
  readonly #streams: CallLimits;
  readonly #answers: CallLimits;

  /**
   * In milliseconds: `idleMs` limits the silence of a stream; `timeoutMs` limits an answer in one piece, and the time
   * between two chunks.
   */
  constructor(idleMs: number, timeoutMs: number) {
    this.#streams = callLimits(
      { ms: idleMs, option: 'modelIdleMs', what: 'sent no chunk and no sign of life' },
      { ms: timeoutMs, option: 'modelTimeoutMs', what: 'sent signs of life, but no chunk' },
    );
    const answer = { ms: timeoutMs, option: 'modelTimeoutMs', what: 'returned no answer' } as const;
    this.#answers = callLimits(answer, answer);
  }

  /** Watches a call until `stop` is called on the returned watch. */
  watch(run: BlamedRun, model: ChatModel, frame: Frame, streams: boolean): SilenceWatch {
    return new SilenceWatch(streams ? this.#streams : this.#answers, run, model, frame);
  }

  stop(): void {
    this.#streams.ticker.stop();
    this.#answers.ticker.stop();
  }
}

function callLimits(silence: Limit, signs: Limit): CallLimits {
  const everyMs = silence.ms / checksPerLimit;
  const ticker = new Ticker<SilenceWatch>(everyMs, (watch) => watch.check());
  // Signs of life can only extend the wait.
  return { ticker, silence, signs, signChecks: Math.max(checksPerLimit, Math.ceil(signs.ms / everyMs)) };
}

/** Ends a model call that is silent for too long, or only gives signs of life for too long. */
export class SilenceWatch {
  readonly #limits: CallLimits;
  readonly #run: BlamedRun;
  readonly #model: ChatModel;
  readonly #frame: Frame;
  #chunks = 0;
  #signs = 0;
  #seenChunks = 0;
  #seenSigns = 0;
  /**
   * The number of checks in a row without a chunk or sign of life. The first check may come at once and does not count.
   */
  #silent = -1;
  /** The number of checks in a row without a chunk. */
  #chunkless = -1;
  #waiting = 0;

  constructor(limits: CallLimits, run: BlamedRun, model: ChatModel, frame: Frame) {
    this.#limits = limits;
    this.#run = run;
    this.#model = model;
    this.#frame = frame;
    limits.ticker.add(this);
  }

  /** Counts a chunk. The time that the consumer takes to process it is not silence of the model. */
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

  check(): void {
    const hasChunk = this.#chunks !== this.#seenChunks || this.#waiting > 0;
    const hasSign = hasChunk || this.#signs !== this.#seenSigns;
    this.#seenChunks = this.#chunks;
    this.#seenSigns = this.#signs;
    this.#chunkless = hasChunk ? 0 : this.#chunkless + 1;
    this.#silent = hasSign ? 0 : this.#silent + 1;
    const { silence, signs, signChecks } = this.#limits;
    if (this.#silent >= checksPerLimit) this.#end(silence);
    else if (this.#chunkless >= signChecks) this.#end(signs);
  }

  stop(): void {
    this.#limits.ticker.drop(this);
  }

  #end({ what, ms, option }: Limit): void {
    const error = modelError('MODEL_IDLE', {
      at: placeOfModel(this.#model),
      message: `The model ${this.#model.id} ${what} for ${ms} ms. Try again, or raise ${option}.`,
    });
    this.#run.blames.model(error);
    this.#frame.close(error);
  }
}
