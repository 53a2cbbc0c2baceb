import { describe, expect, it } from 'vitest';

import type { ConfigPath } from '../modules/locate.ts';
import { fillEnvironment } from './environment.ts';

const environment = {
  NAME: 'bee',
  EMPTY: '',
  YES: 'true',
  ONE: '1',
  NO: 'false',
  ZERO: '0',
  SIZE: '7',
  BLANK: ' ',
};

function fill(value: unknown) {
  const faults: string[] = [];
  const used: string[] = [];
  const locate = (path: ConfigPath, part = 'value') => ({ file: `${part} of ${path.join('.')}` });
  const filled = fillEnvironment(
    { value, locate },
    environment,
    ({ code, message, at }, path) => faults.push(`${code} ${at?.file} [${path.join('.')}] ${message}`),
    (text, variable, path) => used.push(`${variable}=${text} at ${path.join('.')}`),
  );
  return { filled, faults, used };
}

describe('references to the environment', () => {
  it.each<[unknown, unknown]>([
    [{ $env: 'NAME' }, 'bee'],
    [{ $env: 'NAME', default: 'wasp' }, 'bee'],
    [{ $env: 'UNSET', default: 'wasp' }, 'wasp'],
    [{ $env: 'EMPTY', default: null }, null],
    [{ $env: 'SIZE' }, '7'],
    [{ $env: 'SIZE', default: 1 }, 7],
    [{ $env: 'YES', default: false }, true],
    [{ $env: 'ONE', default: false }, true],
    [{ $env: 'NO', default: true }, false],
    [{ $env: 'ZERO', default: true }, false],
    [{ $env: 'ZERO', default: 5 }, 0],
    [{ list: ['a', { $env: 'NAME' }] }, { list: ['a', 'bee'] }],
    ['$NAME', '$NAME'],
    ['see ${NAME}', 'see ${NAME}'],
  ])('%j becomes %j', (value, expected) => {
    expect(fill(value)).toMatchObject({ filled: expected, faults: [] });
  });

  it('are reported when they are used, with their text and path', () => {
    const value = {
      a: [{ $env: 'NAME' }],
      b: { $env: 'UNSET', default: 1 },
      c: { $env: 'SIZE', default: 1 },
    };
    expect(fill(value).used).toEqual(['NAME=bee at a.0', 'SIZE=7 at c']);
  });

  it.each<[unknown, string, unknown]>([
    [
      { $env: 'UNSET' },
      'CONFIG_ENV value of a [a] a: the environment variable UNSET is not set; set it, or add a default.',
      { $env: 'UNSET' },
    ],
    [
      { $env: 'EMPTY' },
      'CONFIG_ENV value of a [a] a: the environment variable EMPTY is empty; set it, or add a default.',
      { $env: 'EMPTY' },
    ],
    [
      { $env: '' },
      'CONFIG_ENV value of a [a] a: $env is ""; write the name of an environment variable.',
      { $env: '' },
    ],
    [
      { $env: 'NAME', default: 5 },
      'CONFIG_ENV value of a [a] a: the environment variable NAME is "bee"; set it to a number, like its default.',
      { $env: 'NAME', default: 5 },
    ],
    [
      { $env: 'BLANK', default: 5 },
      'CONFIG_ENV value of a [a] a: the environment variable BLANK is " "; set it to a number, like its default.',
      { $env: 'BLANK', default: 5 },
    ],
    [
      { $env: 'NAME', default: true },
      'CONFIG_ENV value of a [a] a: the environment variable NAME is "bee"; set it to true or false, like its default.',
      { $env: 'NAME', default: true },
    ],
    [
      { $env: 'NAME', or: 5 },
      'CONFIG_INVALID key of a.or [a] a: "or" is not allowed next to $env; only "default" is.',
      { $env: 'NAME', or: 5 },
    ],
    [
      { $env: 'NAME', defalt: 5 },
      'CONFIG_INVALID key of a.defalt [a] a: "defalt" is not allowed next to $env; did you mean "default"?',
      { $env: 'NAME', defalt: 5 },
    ],
    [
      { $evn: 'NAME' },
      'CONFIG_INVALID key of a.$evn [a] a: there is no "$evn"; did you mean "$env"?',
      { $env: '' },
    ],
    [
      '${NAME}',
      'CONFIG_INVALID value of a [a] a: it is "${NAME}", as shells write a variable; write { $env: NAME }.',
      { $env: 'NAME' },
    ],
    [
      '${NAME:-wasp}',
      'CONFIG_INVALID value of a [a] a: it is "${NAME:-wasp}", as shells write a variable; write { $env: NAME, default: wasp }.',
      { $env: 'NAME' },
    ],
  ])('%j is refused at its place', (value, fault, left) => {
    expect(fill({ a: value })).toMatchObject({ filled: { a: left }, faults: [fault] });
  });

  it('are left alone in objects of code, which stay the same', () => {
    class Model {
      readonly $env = 'NAME';
      readonly inner = { $env: 'NAME' };
    }
    const circle: { self?: unknown; $else?: number } = { $else: 1 };
    circle.self = circle;
    const model = { inner: new Model() };
    const bare: unknown = Object.assign(Object.create(null), { a: { $env: 'NAME' } });
    expect(fill(model).filled).toBe(model);
    expect(fill(circle).filled).toBe(circle);
    expect(fill(bare).filled).toEqual({ a: 'bee' });
  });
});
