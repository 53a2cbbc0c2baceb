import { runInNewContext } from 'node:vm';

import type { Misdeed } from './misdeed.ts';
import type { Place } from './places.ts';

/** Faulty code of a plugin. */
export interface Bug extends Misdeed {
  readonly name: string;
  /** True if the code always causes an error, wherever it runs. */
  readonly fails: boolean;
  /** Returns true for the places at which the code makes sense. Default: all places. */
  readonly places?: (place: Place) => boolean;
}

function failing(name: string, commit: Bug['commit'], places?: Bug['places']): Bug {
  return { name, fails: true, commit, ...(places === undefined ? {} : { places }) };
}

function odd(name: string, commit: Bug['commit'], places?: Bug['places']): Bug {
  return { name, fails: false, commit, ...(places === undefined ? {} : { places }) };
}

function throwing(value: unknown): never {
  throw value;
}

function withGetter(key: string): Error {
  return Object.defineProperty(new Error('hidden'), key, {
    get: () => throwing(new Error(`${key} cannot be read`)),
  });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function cyclic(): Error {
  const error = new Error('outer');
  error.cause = new Error('inner', { cause: error });
  return error;
}

const thrown: Readonly<Record<string, () => unknown>> = {
  'an error': () => new Error('broken'),
  'a mistake of the language': () => {
    try {
      return (undefined as unknown as { readonly at: unknown }).at;
    } catch (error) {
      return error;
    }
  },
  undefined: () => undefined,
  null: () => null,
  'a string': () => 'broken',
  'an empty string': () => '',
  'a number': () => 0,
  'a symbol': () => Symbol('broken'),
  'a bigint': () => 1n,
  'a function': () => () => 'broken',
  'an empty object': () => ({}),
  'an object whose message is a number': () => ({ message: 42 }),
  'an object without a prototype': () => Object.create(null) as unknown,
  'an object that cannot be printed': () => ({ toString: () => throwing(1), toJSON: () => throwing(2) }),
  'a frozen error': () => Object.freeze(new Error('frozen')),
  'an error whose message throws': () => withGetter('message'),
  'an error whose name throws': () => withGetter('name'),
  'an error whose stack throws': () => withGetter('stack'),
  'an error whose cause throws': () => withGetter('cause'),
  'an error whose code throws': () => withGetter('code'),
  'an error whose message is no string': () => Object.assign(new Error('x'), { message: { a: 1 } }),
  'an error in a circle': cyclic,
  'several errors': () => new AggregateError([new Error('a'), undefined], 'several'),
  'an error of another realm': () => runInNewContext('new Error("elsewhere")') as unknown,
  'an abort of its own': () => new DOMException('stopped', 'AbortError'),
  'a revoked proxy': revoked,
  'a proxy that throws': () =>
    new Proxy({}, { has: () => throwing(new Error('has')), get: () => throwing(new Error('get')) }),
  'what only looks like an error of ours': () => ({ [Symbol.for('shallot.error')]: true }),
  'what only looks like an interrupt': () => ({ [Symbol.for('shallot.interrupt')]: true }),
};

const returned: Readonly<Record<string, () => unknown>> = {
  'a number': () => 42,
  'a string': () => 'junk',
  'a symbol': () => Symbol('junk'),
  'an empty object': () => ({}),
  'an array': () => [],
  'a function': () => () => 1,
  'a map': () => new Map(),
  'a revoked proxy': revoked,
  'a message of nobody': () => ({ message: null, content: 'x', text: undefined }),
  'a request without messages': () => ({ messages: 1, tools: 2, settings: 3, instructions: 4 }),
  'members that throw': () =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        ['message', 'messages', 'content', 'text'].map((key) => [
          key,
          { get: () => throwing(new Error(key)), enumerable: true },
        ]),
      ),
    ),
};

type Then = (resolve: (value: unknown) => void, reject: (reason?: unknown) => void) => unknown;

function thenable(then: Then): object {
  // oxlint-disable-next-line unicorn/no-thenable -- the bug is a thenable
  return { then };
}

/** Thenables, as other libraries return them: query builders, for example. */
const thenables: readonly Bug[] = [
  failing(
    'a thenable that rejects at once',
    () => thenable((_, reject) => reject(new Error('broken'))),
    returns,
  ),
  failing('a thenable that rejects without a reason', () => thenable((_, reject) => reject()), returns),
  failing('a thenable whose then throws', () => thenable(() => throwing(new Error('broken'))), returns),
  failing(
    'a thenable whose then cannot be read',
    // oxlint-disable-next-line unicorn/no-thenable -- the bug is a thenable
    () => Object.defineProperty({}, 'then', { get: () => throwing(new Error('broken')) }),
    returns,
  ),
  odd(
    'a thenable that returns nothing',
    () => thenable((resolve) => void setImmediate(resolve, 42)),
    returns,
  ),
  odd('a thenable that calls back at once', () => thenable((resolve) => resolve(42)), returns),
  odd(
    'a thenable that calls back twice',
    () =>
      thenable((resolve, reject) => {
        resolve(42);
        reject(new Error('too late'));
        throw new Error('later still');
      }),
    returns,
  ),
  odd(
    'a thenable of a thenable',
    () => thenable((resolve) => resolve(thenable((inner) => inner(42)))),
    returns,
  ),
];

function returns(place: Place): boolean {
  return place.returns;
}

const wraps = (place: Place): boolean => place.wraps;

const nexts: readonly Bug[] = [
  ...Object.entries({
    nothing: [undefined],
    null: [null],
    'a number': [42],
    'an empty object': [{}],
    'a revoked proxy': [revoked()],
  }).map(([name, args]) =>
    failing(
      `next with ${name}`,
      ({ next }) => next?.(...args),
      (place) => place.wraps && place.hook !== undefined,
    ),
  ),
  ...Object.entries({
    'a number as options': 42,
    'a signal that is a number': { signal: 42 },
    'a signal that is an object': { signal: {} },
    'an emit that is a number': { emit: 42 },
    'an unknown option': { sginal: new AbortController().signal },
    'a parallel that is a string': { parallel: 'yes' },
  }).map(([name, options]) =>
    failing(
      `next with ${name}`,
      ({ next, value }) => next?.(value, options),
      (place) => place.wraps && place.hook !== undefined && !place.name.includes('gate'),
    ),
  ),
  failing('next, and then a throw', async ({ next, value }) => throwing(await next?.(value)), wraps),
  failing(
    'next, and then a throw of undefined',
    async ({ next, value }) => void (await next?.(value), throwing(undefined)),
    wraps,
  ),
  failing(
    'next that is not waited for, and a throw',
    ({ next, value }) => (void next?.(value), throwing(new Error('broken'))),
    wraps,
  ),
  odd('next that is not waited for', ({ next, value }) => void next?.(value), wraps),
  odd('next twice at once', ({ next, value }) => Promise.all([next?.(value), next?.(value)]), wraps),
  odd('next too late', ({ next, value }) => void setTimeout(() => void next?.(value), 1), wraps),
];

const misuses: readonly Bug[] = [
  odd('run: end with a number', ({ run }) => run['end']?.(42)),
  odd('run: end with a question', ({ run }) => run['end']?.({ role: 'user', content: 'x' })),
  odd('run: an event that is no JSON', ({ run }) => run['event']?.('x', { at: () => 1 })),
  odd('run: once without a function', ({ run }) => run['once']?.('k', 42)),
  odd('run: again with a number', ({ run }) => run['again']?.(42)),
  odd('run: setInput with a number', ({ run }) => run['setInput']?.(42)),
  odd('run: interrupt with nothing', ({ run }) => run['interrupt']?.()),
  failing(
    'run: once with a function that throws',
    ({ run }) => run['once']?.('k', () => throwing(new Error('broken'))),
    hasOnce,
  ),
  failing(
    'run: once with a function that rejects without a reason',
    ({ run }) => run['once']?.('k', async () => throwing(undefined)),
    hasOnce,
  ),
  failing('run: once with what is no JSON', ({ run }) => run['once']?.('k', () => () => 1), hasOnce),
  odd('deleted members', ({ value }) => {
    const given = membersOf(value);
    for (const key of Object.keys(given)) Reflect.deleteProperty(given, key);
    return value;
  }),
  odd('members that are set to nothing', ({ value }) => {
    const given = membersOf(value);
    for (const key of Object.keys(given)) Reflect.set(given, key, undefined);
    return undefined;
  }),
];

function membersOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function hasOnce(place: Place): boolean {
  return place.returns && place.hook !== undefined && !place.hook.startsWith('wrap');
}

/** All bugs. Each of them settles. */
export const bugs: readonly Bug[] = [
  ...Object.entries(thrown).flatMap(([name, make]) => [
    failing(`throws ${name}`, () => throwing(make())),
    failing(`rejects with ${name}`, async () => throwing(make())),
  ]),
  ...Object.entries(returned).flatMap(([name, make]) => [
    odd(`returns ${name}`, make),
    odd(`resolves with ${name}`, async () => make()),
  ]),
  ...thenables,
  ...nexts,
  ...misuses,
];
