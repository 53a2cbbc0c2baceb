import { setImmediate } from 'node:timers/promises';

import type { Agent } from '../../src/index.ts';
import type { Course, Fact } from './course.ts';
import type { Disturbance } from './model/world.ts';
import { passTime } from './passing-time.ts';

/** The kinds of moments at which a disturbance may strike a process. */
export type Moment = 'commit' | 'renew' | 'tap' | 'tool' | 'model';

/** A simulated process: while it is dead or asleep, none of its moments passes. */
export class Life {
  readonly course: Course;
  /** Undefined until the agent is created. */
  agent: Agent | undefined;
  isStruck = false;
  /** True once a commit has succeeded in this round. */
  hasCommitted = false;
  #abort = new AbortController();
  #disturbance: Disturbance | undefined;
  #left = 0;
  #state: 'awake' | 'asleep' | 'dead' | 'zombie' | 'buried' = 'awake';
  #isModelFailing = false;
  #isStoreFailing = false;
  #unkept: Fact[] = [];
  readonly #gone = Promise.withResolvers<'asleep' | 'dead'>();
  readonly #rest = Promise.withResolvers<void>();

  constructor(course: Course) {
    this.course = course;
  }

  get gone(): Promise<'asleep' | 'dead'> {
    return this.#gone.promise;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** True if it woke up after another process had taken over its session. */
  get isZombie(): boolean {
    return this.#state === 'zombie';
  }

  /** Begins a round, which is a run or a resume. `disturbance` may strike during it. */
  begin(disturbance: Disturbance | undefined): void {
    this.isStruck = false;
    this.hasCommitted = false;
    this.#unkept = [];
    this.#abort = new AbortController();
    this.#isModelFailing = false;
    this.#isStoreFailing = false;
    this.#disturbance = disturbance;
    this.#left = disturbance?.moments ?? 0;
  }

  async pass(moment: Moment): Promise<void> {
    if (this.#state === 'awake') this.#strike(moment);
    if (this.#state === 'asleep' || this.#state === 'dead') await this.#rest.promise;
    if (this.#state === 'buried') throw new Error('The process is dead.');
  }

  #strike(moment: Moment): void {
    const { course } = this;
    const what = this.#disturbance?.what;
    if (what === undefined) return;
    this.#left -= 1;
    if (this.#left > 0) return;
    // A process falls asleep only in a commit or a tap, since the core cannot stop the work that a tool has begun.
    if (what === 'sleep' && (!this.hasCommitted || (moment !== 'commit' && moment !== 'tap'))) return;
    this.#disturbance = undefined;
    this.isStruck = true;
    course.happened(what);
    if (what === 'kill' || what === 'sleep') this.#leave(what === 'kill' ? 'dead' : 'asleep');
    if (what === 'abort') this.#abort.abort(new Error('aborted by its world'));
    if (what === 'stop') void this.agent?.stop(sessionId);
    if (what === 'model-fails') this.#isModelFailing = true;
    if (what === 'store-fails') this.#failStore();
  }

  /** Makes all further commits of this round fail. */
  #failStore(): void {
    this.#isStoreFailing = true;
    for (const fact of this.#unkept) fact.mayBeLost = true;
  }

  #leave(state: 'asleep' | 'dead'): void {
    this.#state = state;
    for (const fact of this.#unkept) fact.mayBeLost = !fact.isOld || fact.isSent;
    passTime();
    this.#gone.resolve(state);
  }

  /** Lets a sleeping process continue after another one has taken over its session. */
  wake(): void {
    this.#state = 'zombie';
    this.#rest.resolve();
  }

  /** Makes the pending work of a dead process fail. */
  bury(): void {
    this.#state = 'buried';
    this.#rest.resolve();
  }

  /** Notes the beginning of work that only the holder of the session may begin. */
  begins(what: string): void {
    this.course.trace.push(what);
    if (this.isZombie) this.course.problems.push(`${what} is begun by a process that is not the holder`);
  }

  async passModel(): Promise<void> {
    await this.pass('model');
    if (!this.#isModelFailing) return;
    this.#isModelFailing = false;
    throw new Error('the model cannot be reached');
  }

  /** Notes an answer or a result that the run must store. */
  note(what: Fact['what']): Fact {
    const fact: Fact = {
      what,
      // Sessions in memory are stored at once, and no process dies in such a world.
      isKept: this.course.world.store === 'memory',
      isSent: false,
      isOld: false,
      mayBeLost: this.#isStoreFailing || this.#state !== 'awake',
    };
    this.#unkept.push(fact);
    void setImmediate()
      .then(() => setImmediate())
      .then(() => (fact.isOld = true));
    return fact;
  }

  /** Ends a round. One of several parallel calls may have returned when another one made the run fail. */
  end(): void {
    if (!this.#isParallel) return;
    for (const fact of this.#unkept) if (!fact.isKept || !fact.isOld) fact.mayBeLost = true;
  }

  get #isParallel(): boolean {
    return this.course.world.toolConcurrency > 1;
  }

  get isStoreFailing(): boolean {
    return this.#isStoreFailing;
  }

  /**
   * Begins a commit. Returns `fails`, which is true if the store is failing, and `kept`, to call once the commit has
   * succeeded.
   */
  send(): { readonly kept: () => void; readonly fails: boolean } {
    // One of several parallel calls may return while a commit with the result of another one is being sent.
    const facts = this.#unkept.filter(({ what, isOld }) => what === 'answer' || isOld || !this.#isParallel);
    const fails = this.#isStoreFailing;
    for (const fact of facts) {
      fact.isSent = true;
      fact.mayBeLost ||= fails;
    }
    return {
      fails,
      kept: () => {
        this.hasCommitted = true;
        for (const fact of facts) fact.isKept = true;
        this.#unkept = this.#unkept.filter((fact) => !fact.isKept);
      },
    };
  }
}

export const sessionId = 'world';
