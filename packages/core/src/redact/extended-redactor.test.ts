import { describe, expect, it } from 'vitest';

import { extendedRedactor } from './extended-redactor.ts';
import { createRedactor } from './redactor.ts';

const base = createRedactor({ environment: false, secrets: ['hush-hush'] });

describe('a redactor with functions of plugins', () => {
  const functions: ((text: string) => string)[] = [];
  const redactor = extendedRedactor(base, () => functions);

  it('removes what each of them removes after what it knows itself', () => {
    expect(redactor.text('hush-hush ada')).toBe('[redacted] ada');
    functions.push(
      (text) => text.replace('ada', 'NAME'),
      (text) => `${text} (${text.includes('NAME')})`,
    );
    expect(redactor.text('hush-hush ada')).toBe('[redacted] NAME (true)');
    functions.pop();
    expect(redactor.value({ ada: ['ada', 'hush-hush'], token: 't' })).toEqual({
      NAME: ['NAME', '[redacted]'],
      token: '[redacted]',
    });
    expect(redactor.with({ secrets: ['another'] }).text('another ada')).toBe('[redacted] NAME');
    expect([redactor.isOpen('token = '), redactor.isOpen('ada ')]).toEqual([true, false]);
  });
});

it('a function that redacts itself gets what the agent knows, and is called once', () => {
  const seen: string[] = [];
  const redactor = extendedRedactor(base, () => [
    (text) => {
      seen.push(redactor.text(`${text} hush-hush`));
      return text;
    },
  ]);
  for (const text of ['one', 'two']) expect(redactor.text(text)).toBe(text);
  expect(seen).toEqual(['one [redacted]', 'two [redacted]']);
});

it('a function that throws does not keep the others from being called afterwards', () => {
  let fails = true;
  const redactor = extendedRedactor(base, () => [
    (text) => {
      if (fails) throw new Error('no');
      return text.toUpperCase();
    },
  ]);
  expect(() => redactor.text('a')).toThrow('no');
  fails = false;
  expect(redactor.text('a')).toBe('A');
});
