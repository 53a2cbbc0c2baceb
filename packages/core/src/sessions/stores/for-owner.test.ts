import { expect, it } from 'vitest';

import { checkOwner, notesOf, refuseChild } from './for-owner.ts';

it('a session is that of its owner', () => {
  const session = { id: 's', about: { owner: 'o' } };
  expect(() => checkOwner(session, {})).not.toThrow();
  expect(() => checkOwner(session, { owner: 'o' })).not.toThrow();
  for (const other of [session, { id: 's' }])
    expect(() => checkOwner(other, { owner: 'p' })).toThrow(
      expect.objectContaining({ code: 'SESSION_OF_ANOTHER' }),
    );
});

it('a session of a child is refused, with its root', () => {
  expect(() => refuseChild({ id: 's', about: { parent: 'r', root: 'r' } })).toThrow(
    expect.objectContaining({
      code: 'SESSION_IS_CHILD',
      message: expect.stringContaining('belongs to a child run of session "r"') as string,
    }),
  );
  expect(() => refuseChild({ id: 's', about: { parent: 'r' } })).not.toThrow();
  expect(() => refuseChild({ id: 's' })).not.toThrow();
});

it('notes of a session are those of its first run, and a title is added once', () => {
  const notes = { owner: 'o', title: 't', cwd: '/c', parent: 'p' };
  expect(notesOf(undefined, notes)).toStrictEqual(notes);
  expect(notesOf(undefined, { cwd: '/c' })).toStrictEqual({ cwd: '/c' });
  expect(notesOf(undefined, {})).toBeUndefined();
  const known = { id: 's', about: { owner: 'o' } };
  expect(notesOf(known, { ...notes, parent: 'q' })).toStrictEqual({ owner: 'o', title: 't' });
  expect(notesOf(known, { owner: 'o', cwd: '/d' })).toBeUndefined();
  expect(notesOf({ id: 's', about: { title: 'old' } }, { title: 'new' })).toBeUndefined();
  expect(notesOf({ id: 's' }, { title: 'new' })).toStrictEqual({ title: 'new' });
  expect(() => notesOf(known, { owner: 'p' })).toThrow(
    expect.objectContaining({ code: 'SESSION_OF_ANOTHER' }),
  );
});

it('the model that a person chose is noted with any run, the last one', () => {
  const known = { id: 's', about: { title: 't', modelName: 'a/b' } };
  expect(notesOf(undefined, { modelName: 'a/b' })).toStrictEqual({ modelName: 'a/b' });
  expect(notesOf(known, { title: 'new', modelName: 'a/c' })).toStrictEqual({ title: 't', modelName: 'a/c' });
  expect(notesOf(known, { title: 'new', modelName: 'a/b' })).toBeUndefined();
  expect(notesOf(known, {})).toBeUndefined();
});
