import type { JournalledCall } from '../../contract/store.ts';
import type { Journal } from '../../sessions/content/journal.ts';

/**
 * The ordinals of the executions of one call. After a resume, an execution gets the ordinal of an equal journalled one:
 * parallel executions may begin in another order than before.
 */
export class ExecutionOrdinals {
  readonly #journalled: ReturnType<Journal['executions']>;
  readonly #taken = new Set<number>();
  #last = 0;

  constructor(journalled: ReturnType<Journal['executions']> = new Map()) {
    this.#journalled = journalled;
  }

  /**
   * Takes the first free ordinal of a matching journalled execution, or else the next ordinal without a journalled
   * result.
   */
  take(matches: (asked: JournalledCall | undefined) => boolean): number {
    const known = [...this.#journalled].find(
      ([ordinal, { asked }]) => !this.#taken.has(ordinal) && matches(asked),
    );
    const ordinal = known?.[0] ?? this.#next();
    this.#taken.add(ordinal);
    return ordinal;
  }

  #next(): number {
    do this.#last += 1;
    while (this.#taken.has(this.#last) || this.#journalled.get(this.#last)?.type === 'raw');
    return this.#last;
  }
}
