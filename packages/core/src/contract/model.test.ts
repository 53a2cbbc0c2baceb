import { expect, it } from 'vitest';

import { isChatModel } from './model.ts';

it('a model is known by its members', () => {
  const generate = (): void => undefined;
  expect(isChatModel({ id: 'mine', generate })).toBe(true);
  for (const other of [
    undefined,
    null,
    'mine',
    { id: 'mine' },
    { generate },
    { id: 3, generate },
    { id: 'x', generate: 1 },
  ])
    expect(isChatModel(other)).toBe(false);
});
