import type { Place, World } from './model/world.ts';

/** Something that is to get on record: an answer that was given, or the result of a tool. */
export interface Fact {
  readonly what: 'answer' | 'result';
  /** It has been in a commit. */
  isKept: boolean;
  /** It is in a commit in progress. */
  isSent: boolean;
  /** The tick of the event loop in which it came about is over. */
  isOld: boolean;
  /** Its process died, or its store failed, before it had to be on record. */
  mayBeLost: boolean;
}

/** An execution of a tool. */
export interface Execution {
  readonly effect: string;
  isDone: boolean;
  /** Set when the tool has returned. */
  result?: Fact;
}

/** The course of a world while it is played, in all of its processes. */
export class Course {
  readonly world: World;
  /** The kinds of what has happened. */
  readonly events = new Set<string>();
  /** Faults, whatever the outcome of the runs. */
  readonly problems: string[] = [];
  /** The answers of the model, each with its usage. */
  readonly given: (Place & { readonly asked: number; readonly fact: Fact })[] = [];
  /** The answers that have come out of all layers. */
  readonly answered: (Place & { readonly asked: number; readonly fact: Fact })[] = [];
  readonly executions: Execution[] = [];
  /** Questions by their ids. */
  readonly questions = new Map<string, string>();
  readonly trace: string[] = [];
  /** True if a round did not end by itself. */
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

  /** The model is asked once more in a step. Gives how often that makes. */
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

  /** The last answer that was given has come out of all layers. */
  answersLast(place: Place, fact: Fact): void {
    const given = this.given.findLast(({ run, step }) => run === place.run && step === place.step);
    if (given !== undefined) this.answered.push({ ...given, fact });
  }

  /** Returns whether an act that fails for the first time has not failed yet. */
  isToThrow(id: string): boolean {
    if (this.#thrown.has(id)) return false;
    this.#thrown.add(id);
    return true;
  }

  /** Counts the executions of a call that may be repeated, because their outcome is unknown. */
  mayRepeat(effect: string): number {
    return this.executions.filter(
      (each) => each.effect === effect && each.isDone && (each.result === undefined || each.result.mayBeLost),
    ).length;
  }
}
