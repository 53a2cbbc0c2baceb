import { Fifo } from './fifo.ts';

/** What a run does at once, before it first waits, takes some microseconds to some tenths of a millisecond. */
export const mostInTurn = 20;

const waiting = new Fifo<() => void>();
/** How many have begun in this turn of the event loop. */
let begun = 0;
let isAwaited = false;
/** A test that fakes timers may leave one that never comes. */
const startTimer = setImmediate;

/**
 * Lets no more than 20 runs begin in one turn of the event loop: thousands that are started together must not hold up all
 * else in the process. Undefined when one may begin now; else resolves in its turn.
 */
export function turnToBegin(): Promise<void> | undefined {
  if (!isAwaited) awaitTurn();
  if (begun >= mostInTurn) return laterTurn();
  begun += 1;
  return undefined;
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
    begun = 0;
    for (let begin = waiting.shift(); begin !== undefined; begin = waiting.shift()) {
      begun += 1;
      begin();
      if (begun === mostInTurn) break;
    }
    if (begun > 0) awaitTurn();
  });
}
