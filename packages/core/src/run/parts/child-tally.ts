import type { BegunChildren, OfferedTool, RunRecord } from '../../contract/store.ts';
import { noUsage, sumUsage, type RunUsage } from '../../contract/usage.ts';

type ChildrenRecord = NonNullable<RunRecord['children']>;

/** A background child: the call that began it, and the tools that it may use. */
export interface BegunChild {
  readonly callId: string;
  readonly step: number;
  /** The tool of the call, by its name in the request. */
  readonly tool: string;
  /** The name of its agent. */
  readonly agent: string;
  /** The tools that were offered in the step. */
  readonly offered: readonly OfferedTool[];
}

/**
 * The children of a run: their number, the usage of those whose call can still be entered again, and those in the
 * background.
 */
export class ChildTally {
  #begun: number;
  readonly #usage: Map<string, RunUsage>;
  /** The call of each child that was begun, or continued, in this process, until the call is over. */
  readonly #calls = new Map<string, string>();
  /** The children of calls in progress that have ended with a result. */
  readonly #ended = new Set<string>();

  /** Undefined until there is a background child. */
  #background: Map<string, BegunChild> | undefined;

  constructor(record?: ChildrenRecord) {
    this.#begun = record?.begun ?? 0;
    this.#usage = new Map(Object.entries(record?.usage ?? {}));
    for (const { step, offered, children } of record?.background ?? [])
      for (const [childId, child] of Object.entries(children))
        this.keep(childId, { ...child, step, offered });
  }

  /** The children in the background whose end the model has not been told of. */
  get background(): ReadonlyMap<string, BegunChild> {
    return this.#background ?? noChildren;
  }

  /**
   * The children without a call in progress in this process: their call ended before they had a result, or was never
   * entered here.
   */
  get left(): readonly string[] {
    return [...this.#usage.keys()].filter((id) => !this.#calls.has(id) && !this.background.has(id));
  }

  /** Keeps a child as a background child after its call has ended, until `drop`. */
  keep(childId: string, child: BegunChild): void {
    (this.#background ??= new Map()).set(childId, child);
  }

  /** Removes a background child. Returns `own` with the usage of the child added. */
  drop(own: RunUsage, childId: string): RunUsage {
    this.#background?.delete(childId);
    const usage = this.#usage.get(childId);
    this.#forget(childId);
    return usage === undefined ? own : Object.freeze(sumUsage(own, usage));
  }

  #forget(childId: string): void {
    this.#usage.delete(childId);
    this.#calls.delete(childId);
    this.#ended.delete(childId);
  }

  /** Notes that a child has ended with a result. */
  end(childId: string): void {
    this.#ended.add(childId);
  }

  /** The number of children that the run has begun. */
  get begun(): number {
    return this.#begun;
  }

  /** Returns the usage of a child; undefined if the child is unknown. */
  usageOf(childId: string): RunUsage | undefined {
    return this.#usage.get(childId);
  }

  begin(childId: string, callId: string): void {
    this.#calls.set(childId, callId);
    this.#ended.delete(childId);
    if (this.#usage.has(childId)) return;
    this.#begun += 1;
    this.#usage.set(childId, noUsage);
  }

  /**
   * Sets the usage of a child. It replaces the previous value, so that repeating it after a crash counts nothing twice.
   * Ignored for a child that is already settled.
   */
  set(childId: string, usage: RunUsage): void {
    if (this.#usage.has(childId)) this.#usage.set(childId, usage);
  }

  /** Returns the sum of the run's own usage and that of its children. */
  sum(own: RunUsage): RunUsage {
    return Object.freeze([...this.#usage.values()].reduce(sumUsage, own));
  }

  /**
   * Adds the usage of children that cannot be entered again, and forgets them: all children, or those of one call that
   * have ended with a result. The other children of that call are listed in `left` from now on.
   */
  settle(own: RunUsage, callId?: string): RunUsage {
    let sum = own;
    for (const [childId, usage] of this.#usage) {
      if (callId !== undefined && this.#calls.get(childId) !== callId) continue;
      if (this.background.has(childId)) continue;
      if (callId !== undefined && !this.#ended.has(childId)) {
        this.#calls.delete(childId);
        continue;
      }
      sum = sumUsage(sum, usage);
      this.#forget(childId);
    }
    return Object.freeze(sum);
  }

  toRecord(own: RunUsage): ChildrenRecord {
    const record = { begun: this.#begun, own, usage: Object.fromEntries(this.#usage) };
    return this.background.size === 0 ? record : { ...record, background: bySteps(this.background) };
  }
}

const noChildren: ReadonlyMap<string, BegunChild> = new Map();

/** Returns the background children in their stored form: the children of a step share its offered tools. */
function bySteps(background: ReadonlyMap<string, BegunChild>): readonly BegunChildren[] {
  const steps = Map.groupBy(background, ([, { step }]) => step);
  return Array.from(steps, ([step, children]) => ({
    step,
    offered: children[0]?.[1].offered ?? [],
    children: Object.fromEntries(
      children.map(([childId, { callId, tool, agent }]) => [childId, { callId, tool, agent }]),
    ),
  }));
}
