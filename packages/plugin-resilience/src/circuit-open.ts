import { isShallotError, ShallotError, type ToolCall } from '@shallot/core';
import type { ModelRequest } from '@shallot/core/model';

/**
 * The requests and calls of which an attempt opened a circuit, or found it still broken. They cannot be recognized by
 * their errors, because a tool may throw the same one each time.
 */
const opening = new WeakSet<ModelRequest | ToolCall>();

/** Returns the error of a call that an open circuit refuses. */
export function circuitOpen(name: string, failures: number, retryAt: number): ShallotError {
  return new ShallotError('resilience/CIRCUIT_OPEN', {
    message: `The ${name} has failed ${failures} times in a row and is not called until ${new Date(retryAt).toISOString()}.`,
    transient: true,
    retryAt,
  });
}

/** Notes that an attempt of this request or call opened its circuit. */
export function noteOpening(asked: ModelRequest | ToolCall): void {
  opening.add(asked);
}

/** Returns true if the circuit is open, so that the next attempt would be refused. */
export function leavesCircuitOpen(asked: ModelRequest | ToolCall, failure: unknown): boolean {
  return opening.has(asked) || isShallotError(failure, 'resilience/CIRCUIT_OPEN');
}
