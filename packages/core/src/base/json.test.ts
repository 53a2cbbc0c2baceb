import { describe, expect, it } from 'vitest';

import { freezeJson } from './json.ts';

const hidden = (value: object, key: PropertyKey): object =>
  Object.defineProperty(value, key, { value: 1, enumerable: false });

describe('freezeJson', () => {
  it('freezes plain JSON all the way down', () => {
    const [item, inner] = [{ a: 1 }, [null, 'x', true]];
    const list = [item, inner];
    const bare = Object.assign(Object.create(null), { list }) as object;
    const values = [{ list, none: undefined }, bare, JSON.parse('{"__proto__":[1]}') as object];
    for (const value of values) freezeJson(value, 'it');
    expect([...values, list, item, inner].every((each) => Object.isFrozen(each))).toBe(true);
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
    expect(() => freezeJson(value, 'it', 'p')).toThrow(
      expect.objectContaining({
        code: 'VALUE_NOT_JSON',
        plugin: 'p',
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  it('freezes what a proxy shows before it looks at it', () => {
    const seen = new Proxy(
      { path: '/tmp' },
      {
        get: () => '/etc',
      },
    );
    freezeJson(seen, 'it');
    expect(() => seen.path).toThrow(TypeError);
  });

  it('walks what it has frozen no second time, and looks at what it has refused again', () => {
    let reads = 0;
    const rows = Array.from({ length: 100 }, (_, index) => ({ index }));
    const spied = new Proxy({ rows }, { ownKeys: (target) => ((reads += 1), Reflect.ownKeys(target)) });
    freezeJson(spied, 'it');
    const read = reads;
    freezeJson({ spied, list: [spied] }, 'it');
    expect(reads).toBe(read);
    const wrong = { inner: { date: new Date(0) } };
    for (const time of ['first', 'second'])
      expect(() => freezeJson(wrong, time)).toThrow(`${time}.inner.date is an instance of Date`);
  });

  it('refuses what is nested too deep, also when it grew in steps', () => {
    let list: object = {};
    const grow = (): void => {
      for (let level = 0; level < 201; level += 1) {
        list = { list, rows: Array.from({ length: 100 }, (_, index) => ({ index })) };
        freezeJson(list, 'it');
      }
    };
    expect(grow).toThrow('nested more than 200 levels deep');
  });
});
