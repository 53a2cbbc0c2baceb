import type { Place, World } from './model/world.ts';

/** Data that the run must store: an answer of the model, or the result of a tool. */
export interface Fact {
  readonly what: 'answer' | 'result';
  /** True once a commit has stored it. */
  isKept: boolean;
  /** True once it has been part of a commit, which may not have finished. */
  isSent: boolean;
  /** True once the tick of the event loop in which it arose is over. */
  isOld: boolean;
  /** True if its process died, or its store failed, before it had to be stored. */
  mayBeLost: boolean;
}

/** An execution of a tool. */
export interface Execution {
  readonly effect: string;
  isDone: boolean;
  /** Set once the tool has returned. */
  result?: Fact;
}

/** The events of a world while it is played, in all of its processes. */
export class Course {
  readonly world: World;
  /** The kinds of events that have occurred. */
  readonly events = new Set<string>();
  /** Errors of the core that do not depend on the outcome of the runs. */
  readonly problems: string[] = [];
  /** The answers that the model has given. */
  readonly given: (Place & { readonly asked: number; readonly fact: Fact })[] = [];
  /** The answers that have passed through all layers. */
  readonly answered: (Place & { readonly asked: number; readonly fact: Fact })[] = [];
  readonly executions: Execution[] = [];
  /** The texts of the questions, by interrupt id. */
  readonly questions = new Map<string, string>();
  readonly trace: string[] = [];
  /** True if a disturbance or a failing act struck in any round. */
  isDisturbed = false;
  readonly #asked = new Map<string, number>();
  readonly #thrown = new Set<string>();

  constructor(world: World) {
    this.world = world;
  }

  happened(event: string): void {
    this.events.add(event);
    this.trace.push(event);
  }

  /** Notes that the model is asked. Returns how often it has been asked in this step, including this time. */
  ask(place: Place): number {
    const key = `${place.run} ${place.step}`;
    const asked = (this.#asked.get(key) ?? 0) + 1;
    this.#asked.set(key, asked);
    this.trace.push(`ask r${place.run}s${place.step}#${asked}`);
    const before = this.answered.findLast(({ run, step }) => run === place.run && step === place.step);
    if (before !== undefined && !before.fact.mayBeLost) {
      this.problems.push(`the model is asked again in r${place.run}s${place.step}, although it has answered`);
    }
    return asked;
  }

  /** Notes that the last answer of this step has passed through all layers. */
  answersLast(place: Place, fact: Fact): void {
    const given = this.given.findLast(({ run, step }) => run === place.run && step === place.step);
    if (given !== undefined) this.answered.push({ ...given, fact });
  }

  /** Returns true the first time that it is called for an act. */
  isToThrow(id: string): boolean {
    if (this.#thrown.has(id)) return false;
    this.#thrown.add(id);
    return true;
  }

  /** Returns the number of executions of a call whose outcome is unknown, so that they may be repeated. */
  mayRepeat(effect: string): number {
    return this.executions.filter(
      (each) => each.effect === effect && each.isDone && (each.result === undefined || each.result.mayBeLost),
    ).length;
  }
}
