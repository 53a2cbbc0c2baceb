import { describe, expect, it } from 'vitest';

import { freezeMade, freezeParsed, frozenJson, writtenJson } from './frozen-json.ts';

const hidden = (value: object, key: PropertyKey): object =>
  Object.defineProperty(value, key, { value: 1, enumerable: false });

describe('frozenJson', () => {
  it('copies what is not frozen, all the way down, and leaves it as it is', () => {
    const [item, inner] = [{ a: 1 }, [null, 'x', true]];
    const list = [item, inner];
    const bare = Object.assign(Object.create(null), { list }) as object;
    const values = [{ list, none: undefined }, bare, JSON.parse('{"__proto__":[1]}') as object];
    for (const value of values) {
      const taken = frozenJson(value, 'it') as object;
      expect(JSON.stringify(taken)).toBe(JSON.stringify(value));
      expect(writable(taken)).toEqual([]);
    }
    expect([...values, list, item, inner].some((each) => Object.isFrozen(each))).toBe(false);
  });

  it('returns what is frozen all the way down, and in a copy the frozen parts of the rest', () => {
    const part = Object.freeze({ list: Object.freeze([Object.freeze({ a: 1 }), 'x']) });
    expect(frozenJson(part, 'it')).toBe(part);
    const value = Object.freeze({ part, open: { a: 1 } });
    const taken = frozenJson(value, 'it');
    expect(taken).not.toBe(value);
    expect(taken.part).toBe(part);
    expect(taken).toEqual(value);
    expect(Object.isFrozen(value.open)).toBe(false);
  });

  class Items extends Array<unknown> {}
  const accessor = {
    a: {
      get path() {
        return '/tmp';
      },
    },
  };
  const setter = { set path(_: string) {} };
  const getterItem = Object.defineProperty([1, 2], 1, { get: () => 2, enumerable: true });
  const withHole = (): unknown[] => Object.assign([1], { 2: 3 });
  const refused: [string, unknown, string][] = [
    ['an accessor', accessor, 'it.a.path is an accessor'],
    ['a setter', setter, 'it.path is an accessor'],
    [
      'an accessor that is frozen',
      Object.freeze({
        get a() {
          return 1;
        },
      }),
      'it.a is an accessor',
    ],
    ['a member that is not enumerable', hidden({ a: 1 }, 'force'), 'it.force is a non-enumerable member'],
    ['a toJSON that is not enumerable', hidden({}, 'toJSON'), 'it.toJSON is a non-enumerable member'],
    ['a symbol', { [Symbol('s')]: 1 }, 'it["Symbol(s)"] is a member with a symbol'],
    ['an item that is an accessor', getterItem, 'it[1] is an accessor'],
    ['an item that is hidden', hidden([1, 2], 0), 'it[0] is a non-enumerable member'],
    ['a hole in an array', withHole(), 'it[1] is a hole in an array'],
    [
      'a hole, and a member to make up for it',
      Object.assign(withHole(), { x: 1 }),
      'it[1] is a hole in an array',
    ],
    ['an array with a member', Object.assign([1], { toJSON: 1 }), 'it.toJSON is an extra member on an array'],
    ['an array with a hidden member', hidden([1], 'x'), 'it.x is an extra member on an array'],
    [
      'an array with a symbol',
      Object.assign([1], { [Symbol('s')]: 1 }),
      'it["Symbol(s)"] is an extra member',
    ],
    ['an array of a class', Items.from([1]), 'it is an instance of Items'],
    ['undefined in an array', [undefined], 'it[0] is undefined'],
    ['a function', { f() {} }, 'it.f is a function'],
    ['an instance', { at: [new Date(0)] }, 'it.at[0] is an instance of Date'],
    ['NaN', [NaN], 'it[0] is NaN'],
  ];
  it.each(refused)('refuses %s', (_, value, message) => {
    expect(() => frozenJson(value, 'it', 'p')).toThrow(
      expect.objectContaining({
        code: 'VALUE_NOT_JSON',
        plugin: 'p',
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  it('reads what a proxy shows once', () => {
    let reads = 0;
    const shown = new Proxy({ path: '/tmp' }, { get: () => `/tmp/${(reads += 1)}` });
    const taken = frozenJson(shown, 'it');
    expect([taken.path, taken.path]).toEqual(['/tmp/1', '/tmp/1']);
  });

  it('walks what it has taken no second time, and looks at what it has refused again', () => {
    const rows = Array.from({ length: 100 }, (_, index) => ({ index }));
    const taken = frozenJson({ rows }, 'it');
    const again = frozenJson({ taken, list: [taken] }, 'it');
    expect([again.taken, again.list[0]]).toEqual([taken, taken]);
    expect(again.taken).toBe(taken);
    const wrong = { inner: { date: new Date(0) } };
    for (const time of ['first', 'second'])
      expect(() => frozenJson(wrong, time)).toThrow(`${time}.inner.date is an instance of Date`);
  });

  it.each<[string, (inner: unknown) => object]>([
    ['lists', (inner) => [inner]],
    ['frozen lists', (inner) => Object.freeze([inner])],
    ['objects', (inner) => ({ inner })],
    ['frozen objects', (inner) => Object.freeze({ inner })],
  ])('takes 200 levels of %s in one, and no more', (_, around) => {
    const nested = (levels: number): unknown => (levels === 0 ? [] : around(nested(levels - 1)));
    expect(frozenJson(nested(200), 'it')).toEqual(nested(200));
    expect(() => frozenJson(nested(201), 'it')).toThrow('nested more than 200 levels deep');
  });

  it('takes 200 levels of what it has taken before, and no more', () => {
    const rows = Array.from({ length: 100 }, () => ({}));
    const nested = (levels: number, inner: unknown): unknown =>
      levels === 0 ? inner : [nested(levels - 1, inner)];
    for (const known of [
      frozenJson(nested(100, rows), 'it'),
      freezeParsed(JSON.parse(JSON.stringify(nested(100, rows))), 'it'),
    ]) {
      expect(() => frozenJson({ a: nested(98, known) }, 'it')).not.toThrow();
      expect(() => frozenJson({ a: nested(99, known) }, 'it')).toThrow('nested more than 200 levels deep');
    }
  });

  it.each<[string, object, string]>([
    ['names', { a: { $b_1: { 'c d': [{ '': NaN }] } } }, 'it.a.$b_1["c d"][0][""] is NaN'],
    ['digits', { 1: { a1: NaN } }, 'it["1"].a1 is NaN'],
    ['frozen members', Object.freeze({ a: Object.freeze([Object.freeze({ b: NaN })]) }), 'it.a[0].b is NaN'],
    ['what cannot be JSON', { a: 1n }, 'it.a is a bigint, which is not valid JSON.'],
    ['an object of its own kind', { a: Object.create({}) as object }, 'it.a is an instance of Object'],
    [
      'an object of no kind',
      { a: Object.create(Object.create(null) as object) as object },
      'it.a is not a plain object',
    ],
    ['a symbol', { a: Symbol('s') }, 'it.a is a symbol'],
    ['an infinity', { a: -Infinity }, 'it.a is -Infinity'],
  ])('names the place of a fault: %s', (_, value, message) => {
    expect(() => frozenJson(value, 'it')).toThrow(message);
  });

  it('refuses what is nested too deep, also when it grew in steps', () => {
    let list: object = {};
    const grow = (): void => {
      for (let level = 0; level < 201; level += 1) {
        list = { list, rows: Array.from({ length: 100 }, (_, index) => ({ index })) };
        list = frozenJson(list, 'it') as object;
      }
    };
    expect(grow).toThrow('nested more than 200 levels deep');
  });
});

describe('freezeMade', () => {
  const made = (members: object = {}, ...list: unknown[]): { readonly parts: unknown[] } & object => ({
    ...members,
    parts: list,
  });

  it('freezes an object and its list as they are, and what they hold as JSON', () => {
    const [meta, part] = [{ a: [1] }, { b: {} }];
    const object = made({ id: 'm', meta }, 'text', part, part, 3);
    freezeMade(object, object.parts, 'it');
    expect(object).toEqual({ id: 'm', meta: { a: [1] }, parts: ['text', { b: {} }, { b: {} }, 3] });
    expect(writable(object)).toEqual([]);
    expect([meta, part].some((each) => Object.isFrozen(each))).toBe(false);
  });

  it('freezes an empty list', () => {
    const object = made();
    freezeMade(object, object.parts, 'it');
    expect(writable(object)).toEqual([]);
  });

  it.each<[string, { readonly parts: unknown[] }, string]>([
    ['a member', made({ at: { when: new Date(0) } }), 'it.at.when is an instance of Date'],
    ['an item', made({}, 'a', { when: new Date(0) }), 'it.parts[1].when is an instance of Date'],
    ['an item that is none itself', made({}, 'a', () => 1), 'it.parts[1] is a function'],
    ['a member with a symbol', made({ [Symbol('s')]: 1 }), 'it["Symbol(s)"] is a member with a symbol key'],
  ])('refuses %s that is no JSON, with its path', (_, object, message) => {
    expect(() => freezeMade(object, object.parts, 'it', 'p')).toThrow(
      expect.objectContaining({
        code: 'VALUE_NOT_JSON',
        plugin: 'p',
        message: expect.stringContaining(message) as string,
      }),
    );
  });
});

describe('writtenJson', () => {
  class Money {
    readonly #cents = 5;
    readonly currency = 'EUR';
    get cents(): number {
      return this.#cents;
    }
  }
  const when = new Date('2026-11-23T06:00:00Z');
  const getter = {
    get a() {
      return [1];
    },
  };
  it.each<[string, unknown, string | undefined]>([
    ['plain JSON', { a: [1, 'x', null], none: undefined }, undefined],
    ['a date', { at: when, list: [when] }, undefined],
    ['a buffer', Buffer.from('ab'), undefined],
    ['a toJSON', { toJSON: () => ({ a: 1 }) }, undefined],
    ['an accessor', getter, undefined],
    ['an extra member of a list', Object.assign([1], { x: 1 }), undefined],
    ['undefined in a list', { list: [undefined, 1] }, '"0" is undefined'],
    ['a hole', Object.assign([1], { 2: 3 }), '"1" is undefined'],
    ['an instance', { price: new Money() }, '"price" is an instance of Money'],
    ['a map', new Map([[1, 2]]), 'it is an instance of Map'],
    ['a function', { run() {}, a: 1 }, '"run" is a function'],
    ['a number that is none', { a: NaN }, '"a" is NaN'],
    ['a symbol for a key', { [Symbol('s')]: 1, a: 1 }, undefined],
  ])('takes %s as JSON.stringify writes it', (_, value, lost) => {
    const written = writtenJson(value, 'it');
    expect(JSON.stringify(written.json)).toBe(JSON.stringify(value));
    expect(written.lost).toBe(lost);
    expect(writable(written.json)).toEqual([]);
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  it.each<[string, unknown, string]>([
    ['a bigint', { row: { id: 1n } }, 'it.id is a bigint'],
    ['a cycle', cycle, 'circular'],
    ['a function', () => 1, 'it is a function'],
    ['a symbol', Symbol('s'), 'it is a symbol'],
    [
      'what throws when it is read',
      {
        get a() {
          throw new Error('no');
        },
      },
      'no',
    ],
  ])('refuses %s', (_, value, message) => {
    expect(() => writtenJson(value, 'it')).toThrow(message);
  });
});

it('freezeParsed freezes what was parsed, unless it is nested too deep', () => {
  const rows = JSON.stringify(Array.from({ length: 100 }, (_, index) => ({ index, none: null })));
  const parsed = freezeParsed(JSON.parse(rows), 'it');
  expect(writable(parsed)).toEqual([]);
  expect(JSON.stringify(frozenJson(parsed, 'it'))).toBe(rows);
  const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect(writable(freezeParsed(nested(201), 'it'))).toEqual([]);
  expect(() => freezeParsed(nested(202), 'it')).toThrow('nested more than 200 levels deep');
  expect([freezeParsed(null, 'it'), freezeParsed('a', 'it'), freezeParsed(1, 'it')]).toEqual([null, 'a', 1]);
});

/** The objects in a value that somebody could write to. */
function writable(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap((member) => writable(member));
  return Object.isFrozen(value) ? inside : [value, ...inside];
}
