import { expect, it } from 'vitest';

import { leaksOf, sinks } from '../test/sinks.ts';

const key = '0123456789abcdef0123456789abcdef';

it('without redaction, values are found in every sink but free pages', async () => {
  const { leaks } = await leaksOf({ options: undefined });
  const clean = sinks.filter((sink) => !leaks.has(sink));
  expect(clean).toEqual(['free pages']);
});

it('with redaction no value is in any sink, after any commit', async () => {
  const { leaks } = await leaksOf({ options: { key } });
  expect(Object.fromEntries(leaks)).toEqual({});
});

it('nor of a run that was submitted', async () => {
  const { leaks } = await leaksOf({ options: { key }, isSubmitted: true });
  expect(Object.fromEntries(leaks)).toEqual({});
});
