import { Fifo } from './fifo.ts';

/** What a run does at once, before it first waits, takes some microseconds to some tenths of a millisecond. */
export const mostInTurn = 20;

const waiting = new Fifo<() => void>();
/** How many have begun in this turn of the event loop. */
let begun = 0;
/** How many have begun, and not ended. */
let active = 0;
let isAwaited = false;
/** A test that fakes timers may leave one that never comes: then, the last to end lets in others. */
const startTimer = setImmediate;

/**
 * Lets no more than 20 runs begin in one turn of the event loop: thousands that are started together must not hold up all
 * else in the process. Undefined when one may begin now; else resolves in its turn. Whoever has begun calls `endTurn`.
 */
export function turnToBegin(): Promise<void> | undefined {
  if (!isAwaited) awaitTurn();
  if (begun >= mostInTurn) return laterTurn();
  begun += 1;
  active += 1;
  return undefined;
}

/** A run that has begun is over. Runs that follow each other need no turns. */
export function endTurn(): void {
  active -= 1;
  if (active === 0) letIn();
}

function laterTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  return promise;
}

function awaitTurn(): void {
  isAwaited = true;
  startTimer(() => {
    isAwaited = false;
    letIn();
    if (begun > 0) awaitTurn();
  });
}

function letIn(): void {
  begun = 0;
  while (begun < mostInTurn) {
    const begin = waiting.shift();
    if (begin === undefined) return;
    begun += 1;
    active += 1;
    begin();
  }
}
