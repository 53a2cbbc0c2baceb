import { expect, it } from 'vitest';

import { textPart, type AssistantPart, type Message } from '../../contract/messages.ts';
import { sourcesOf } from './sources-of.ts';

const answer = (...content: AssistantPart[]): Message => ({ id: 'm', role: 'assistant', content });
const source = (id: string, rest: object): AssistantPart & { type: 'source' } => ({
  type: 'source',
  id,
  ...rest,
});

it('sources are listed once each, by address or by name, with a title if one is known', () => {
  const messages = [
    answer(source('1', { url: 'https://a' }), source('2', { url: 'https://a', title: 'A' })),
    answer(
      source('3', { url: 'https://a', title: 'Another' }),
      source('4', { url: 'https://b', title: 'A' }),
    ),
    answer(source('5', { title: 'Doc', mediaType: 'text/plain' }), source('6', { title: 'Doc' })),
    answer(source('7', { title: 'Doc', name: 'doc.txt' }), source('8', {}), source('9', {})),
  ];
  expect(sourcesOf(messages, 0)).toStrictEqual([
    { id: '2', url: 'https://a', title: 'A' },
    { id: '4', url: 'https://b', title: 'A' },
    { id: '5', title: 'Doc', mediaType: 'text/plain' },
    { id: '7', title: 'Doc', name: 'doc.txt' },
    { id: '8' },
    { id: '9' },
  ]);
});

it('sources include those that a text cites', () => {
  const { type: _, ...cited } = source('1', { url: 'https://a' });
  const text = { ...textPart('so'), citations: [{ source: cited }] } as unknown as AssistantPart;
  expect(sourcesOf([answer(text, textPart('and'))], 0)).toStrictEqual([cited]);
});

it('sources are those of the messages from an index on', () => {
  const messages = [answer(source('1', { url: 'https://a' })), answer(source('2', { url: 'https://b' }))];
  expect(sourcesOf(messages, 1)).toStrictEqual([{ id: '2', url: 'https://b' }]);
  expect(sourcesOf(messages, 2)).toStrictEqual([]);
  const user: Message = { id: 'u', role: 'user', content: [textPart('Hello')] };
  expect(sourcesOf([user, ...messages], 0)).toHaveLength(2);
});
