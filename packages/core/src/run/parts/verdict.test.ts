import { expect, it } from 'vitest';

import { message } from '../../../../testing/src/store/store-samples.ts';
import { Verdict } from './verdict.ts';

const newId = (): string => 'new';

it('the first end counts', () => {
  const verdict = new Verdict();
  expect(verdict.ending).toBeUndefined();
  verdict.end('Enough.', 'limit', 'limits', newId);
  verdict.end('Too late.', 'ended', 'audit', newId);
  expect(verdict.ending).toEqual({
    reason: 'limit',
    plugin: 'limits',
    message: { id: 'new', role: 'assistant', content: [{ type: 'text', text: 'Enough.' }] },
  });
  expect(Object.isFrozen(verdict.ending)).toBe(true);
});

it('an end needs no answer', () => {
  const verdict = new Verdict();
  verdict.end(undefined, 'ended', 'audit', newId);
  expect(verdict.ending).toEqual({ reason: 'ended', plugin: 'audit' });
});

it.each([
  ['a message of a user', { role: 'user' as const, content: 'Hi' }],
  [
    'a message with a tool call',
    {
      role: 'assistant' as const,
      content: [{ type: 'tool-call' as const, id: 'a', name: 'work', input: {} }],
    },
  ],
])('%s is no answer, and ends nothing', (_, answer) => {
  const verdict = new Verdict();
  expect(() => verdict.end(answer, 'ended', 'audit', newId)).toThrow(
    expect.objectContaining({
      code: 'MESSAGE_INVALID',
      plugin: 'audit',
      message:
        'audit called end with an invalid answer: pass a string, or an assistant message without tool calls.',
    }),
  );
  expect(verdict.ending).toBeUndefined();
});

it('the end of a resumed run is that of its record, and counts as the first', () => {
  const verdict = new Verdict({ reason: 'limit', plugin: 'limits' });
  verdict.end('Too late.', 'ended', 'audit', newId);
  expect(verdict.ending).toEqual({ reason: 'limit', plugin: 'limits' });
});

it('whoever asks for one more step adds messages, and they are taken once', () => {
  const verdict = new Verdict();
  expect(verdict.takeMore()).toBeUndefined();
  verdict.again([]);
  expect(verdict.more).toEqual([]);
  verdict.again([message('a')]);
  verdict.again([message('b')]);
  expect(verdict.takeMore()).toEqual([message('a'), message('b')]);
  expect(verdict.more).toBeUndefined();
  verdict.restoreMore([message('c')]);
  expect(verdict.takeMore()).toEqual([message('c')]);
});

it('the last message, the output and the metadata of the response are kept', () => {
  const verdict = new Verdict();
  const lastWord = { message: message('a') as never, isShown: true };
  verdict.close(lastWord);
  verdict.hear({ id: 'response' });
  expect(verdict.output).toBeUndefined();
  verdict.accept(undefined);
  expect(verdict).toMatchObject({ lastWord, heard: { id: 'response' } });
  expect(verdict.output).toEqual({ value: undefined });
});
