/** The part of undici's dispatcher, used by Node's `fetch`, that is needed here. */
interface Dispatcher {
  readonly isMockActive?: boolean;
  dispatch(options: object, handler: object): boolean;
}

/** The symbols of undici's global dispatcher, by version of its handler interface. */
const current = Symbol.for('undici.globalDispatcher.2');
const before = Symbol.for('undici.globalDispatcher.1');

/**
 * Returns a dispatcher for Node's `fetch` that forwards requests to the global one (Node's own, a proxy's, or the
 * application's), without undici's 300-second limits for headers and body: the agent limits the silence of a model.
 * Undefined without a global dispatcher.
 */
export function patientDispatcher(): object | undefined {
  return dispatcherOf(current) === undefined && dispatcherOf(before) === undefined ? undefined : patient;
}

const patient: Dispatcher = {
  get isMockActive() {
    return (dispatcherOf(before) ?? dispatcherOf(current))?.isMockActive === true;
  },
  dispatch(options, handler) {
    // A process may contain several versions of undici; the handler shows which one it is for.
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
