/** What of a dispatcher of Node's `fetch` is used: that of undici. */
interface Dispatcher {
  readonly isMockActive?: boolean;
  dispatch(options: object, handler: object): boolean;
}

/** Where undici keeps the dispatcher that requests go through, by the version of the interface to its handlers. */
const current = Symbol.for('undici.globalDispatcher.2');
const before = Symbol.for('undici.globalDispatcher.1');

/**
 * A dispatcher for Node's own `fetch` that sends each request through the one that is set (Node's own, a proxy's, the
 * application's), without the 300 seconds after which undici gives up on headers, or on the next piece of a body: how
 * long a model may be silent, the agent decides. Undefined where there is none to send through.
 */
export function patientDispatcher(): object | undefined {
  return dispatcherOf(current) === undefined && dispatcherOf(before) === undefined ? undefined : patient;
}

const patient: Dispatcher = {
  get isMockActive() {
    return (dispatcherOf(before) ?? dispatcherOf(current))?.isMockActive === true;
  },
  dispatch(options, handler) {
    // Several versions of undici may be in one process; by the handler it shows for which one it is.
    const [first, second] = 'onConnect' in handler ? [before, current] : [current, before];
    const dispatcher = dispatcherOf(first) ?? dispatcherOf(second);
    if (dispatcher === undefined) throw new Error('The global dispatcher of fetch is gone.');
    return dispatcher.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
};

function dispatcherOf(place: symbol): Dispatcher | undefined {
  const dispatcher: unknown = Reflect.get(globalThis, place);
  const isOne = typeof dispatcher === 'object' && dispatcher !== null && 'dispatch' in dispatcher;
  return isOne ? (dispatcher as Dispatcher) : undefined;
}
