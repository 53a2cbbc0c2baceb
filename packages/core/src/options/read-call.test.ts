import { expect, it } from 'vitest';

import type { CallMatcher, Touch } from '../contract/permissions/call-matcher.ts';
import { memoryFiles } from '../files/memory-files.ts';
import { readCall } from './read-call.ts';

const files = memoryFiles();
const touch = (what: string): Touch => ({
  subject: 'edit',
  access: 'write',
  what,
  covers: () => true,
  narrowest: undefined,
});
const matcher = (subject: string, touches: CallMatcher['touches'], tool = 'write'): CallMatcher => ({
  subjects: [subject],
  tools: () => [tool],
  advise: () => undefined,
  touches,
});
const call = { name: 'write', input: { path: 'a' }, files };

it('a call is read by the matchers of its tool', async () => {
  const a = touch('a');
  const b = touch('b');
  const matchers = [
    matcher('edit', () => [a]),
    matcher('shell', async () => [b]),
    matcher('other', () => [touch('c')], 'other'),
  ];
  expect(await readCall(call, matchers)).toEqual({
    tool: 'write',
    input: { path: 'a' },
    subjects: ['edit', 'shell'],
    touches: [a, b],
  });
});

it('a call without a matcher has its arguments only', async () => {
  expect(await readCall(call, [])).toEqual({
    tool: 'write',
    input: { path: 'a' },
    subjects: [],
    touches: undefined,
  });
});

it('a call is read with the output of its schema', async () => {
  const seen: unknown[] = [];
  const look = matcher('edit', ({ input }) => {
    seen.push(input);
    return [];
  });
  expect(await readCall({ ...call, output: { value: { path: 'b' } } }, [look])).toMatchObject({
    input: { path: 'b' },
    touches: [],
  });
  expect(await readCall({ ...call, output: { notJson: 'a Date' } as never }, [look])).toEqual({
    tool: 'write',
    input: undefined,
    subjects: ['edit'],
    touches: undefined,
  });
  expect(seen).toEqual([{ path: 'b' }]);
});

it('nobody knows what a call touches if one of its matchers cannot tell', async () => {
  const failures: unknown[] = [];
  const broken = matcher('shell', () => Promise.reject(new Error('broken')));
  const known = matcher('edit', () => [touch('a')]);
  const failed = await readCall({ ...call, onFailure: (error) => failures.push(error) }, [known, broken]);
  expect([failed.touches, failures]).toEqual([undefined, [new Error('broken')]]);
  expect((await readCall(call, [known, matcher('shell', () => undefined)])).touches).toBeUndefined();
  expect((await readCall(call, [broken])).touches).toBeUndefined();
});
