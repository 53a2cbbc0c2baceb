import { isBranded } from '../base/is-object.ts';
import type { Interrupt } from './interrupt.ts';

const brand = Symbol.for('shallot.interrupt');

/** Thrown to unwind from `interrupt()` to the core. The run's record contains the open questions. */
export class InterruptSignal extends Error {
  override readonly name = 'InterruptSignal';
  readonly interrupt: Interrupt;

  constructor(interrupt: Interrupt) {
    super(`Waiting for an answer to the interrupt ${interrupt.id} (${interrupt.kind}). Let this error pass.`);
    this.interrupt = interrupt;
  }

  get [brand](): true {
    return true;
  }
}

/**
 * Tests for an interrupt on its way to the core. A layer that handles errors must rethrow it; otherwise the core raises
 * the interrupt again.
 */
export function isInterrupt(error: unknown): error is InterruptSignal {
  return isBranded(error, brand);
}
