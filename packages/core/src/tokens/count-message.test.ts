import { expect, it } from 'vitest';

import type { AssistantPart, Message } from '../contract/messages.ts';
import { countMessage } from './count-message.ts';
import { cutResult, isCut } from './cut-result.ts';
import { keptFilesOf, withKeptFiles } from './kept-files.ts';
import { isLasting, lastingResult } from './lasting.ts';

const length = (text: string): number => text.length;
const count = (...content: readonly unknown[]): number =>
  countMessage({ id: 'm', role: 'assistant', content } as Message, length, undefined);
const data = (bytes: number): string => 'A'.repeat((bytes * 4) / 3);

it.each<readonly [Partial<AssistantPart>, number]>([
  [{ type: 'text', text: 'abc' }, 3],
  [{ type: 'reasoning', text: 'abc' }, 3],
  [{ type: 'tool-call', id: 'c', name: 'look', input: {} }, 8 + 'look {}'.length],
  [{ type: 'tool-call', id: 'c', name: 'look', input: {}, raw: '{"' }, 8 + 'look {"'.length],
  [{ type: 'provider-call', id: 'c', name: 'find', input: { a: 1 } } as never, 8 + 'find {"a":1}'.length],
  [{ type: 'provider-result', callId: 'c', result: [1] } as never, 8 + '[1]'.length],
  [{ type: 'source', id: 's', url: 'https://a' }, 0],
  [{ type: 'file', mediaType: 'image/png', data: data(30) }, 1500],
  [{ type: 'file', mediaType: 'IMAGE/PNG', data: data(30) }, 1500],
  [{ type: 'file', mediaType: 'audio/mpeg', url: 'https://a' }, 1500],
  [{ type: 'file', mediaType: 'audio/mpeg', data: data(501) }, 2],
  [{ type: 'file', mediaType: 'video/mp4', data: data(3000) }, 3],
  [{ type: 'file', mediaType: 'application/pdf', data: data(60) }, 3],
  [{ type: 'file', mediaType: 'application/pdf', data: data(63) }, 4],
])('the part %j takes its tokens beside the four of its message', (part, tokens) => {
  expect(count(part)).toBe(4 + tokens);
  expect(count(part, part)).toBe(4 + 2 * tokens);
});

it('a file that the model does not take is counted as text, except in a system message', () => {
  const file = { type: 'file', mediaType: 'image/png', data: data(30) } as const;
  const of = (role: 'system' | 'user', takesFile?: () => boolean): number =>
    countMessage(
      { id: 'm', role, content: [file] } as unknown as Message,
      length,
      takesFile && { takesFile },
    );
  expect(of('user')).toBe(1504);
  expect(of('user', () => true)).toBe(1504);
  expect(of('user', () => false)).toBeLessThan(200);
  expect(of('system', () => false)).toBe(1504);
});

it('a result is marked by the core, beside the marks of others', () => {
  const plain = { content: [], metadata: { acme: 1 } };
  const marked = withKeptFiles(lastingResult(cutResult(plain)), ['/a']);
  expect([isCut(plain), isLasting(plain), keptFilesOf(plain)]).toEqual([false, false, []]);
  expect([isCut(marked), isLasting(marked), keptFilesOf(marked)]).toEqual([true, true, ['/a']]);
  expect(marked.metadata).toMatchObject({ acme: 1 });
  expect([isCut(cutResult({ content: [] })), isLasting(cutResult({ content: [] }))]).toEqual([true, false]);
});

it.each([
  { cut: 'yes', lasting: 1, files: '/a' },
  { cut: false, lasting: false, files: { a: 1 } },
  [],
  null,
  'text',
])('marks that are none are not taken for some: %j', (shallot) => {
  const message = { metadata: { shallot } } as never;
  expect([isCut(message), isLasting(message), keptFilesOf(message)]).toEqual([false, false, []]);
  expect(isCut(cutResult({ content: [], ...(message as object) }))).toBe(true);
});

it('only the paths among the kept files are shown', () => {
  expect(keptFilesOf({ metadata: { shallot: { files: ['/a', 7, null, '/b'] } } })).toEqual(['/a', '/b']);
});
