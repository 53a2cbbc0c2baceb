import { describe, expect, it } from 'vitest';

import { askedBy, askedIn } from './asked.ts';
import { readQuestion } from './read-question.ts';

const form = (properties: object) => ({
  message: 'Tell me.',
  requestedSchema: { type: 'object', properties },
});
const page = (url: unknown) => ({ mode: 'url', message: 'Go there.', url });

describe('a question of a server', () => {
  it.each([
    [
      'a password',
      form({ password: {} }),
      'its form asks for "password", and secrets do not belong in a form',
    ],
    ['a secret by its title', form({ code: { type: 'string', title: 'API key' } }), 'asks for "code"'],
    ['a secret in camel case', form({ a: {}, accessToken: {} }), 'asks for "accessToken"'],
    ['a secret by its format', form({ x: { type: 'string', format: 'password' } }), 'asks for "x"'],
    ['a card', form({ 'card-number': {} }), 'asks for "card-number"'],
    [
      'a script',
      page('javascript:alert(1)'),
      'its URL is "javascript:alert(1)", which is not one of http or https',
    ],
    ['a file', page('file:///etc/passwd'), 'its URL is "file:///etc/passwd"'],
    ['a page without a URL', page(undefined), 'its URL is missing'],
    ['no schema', { message: 'x' }, 'it has no schema'],
    ['a text', { message: 'x', requestedSchema: { type: 'string' } }, 'its schema is not that of an object'],
    ['something new', { mode: 'voice', message: 'x' }, 'its mode is "voice"'],
    ['nothing', null, 'it is not an object'],
    ['no message', { requestedSchema: {} }, 'it has no message'],
    ['too much', form({ a: { description: 'x'.repeat(70_000) } }), 'it is longer than 65536 characters'],
  ])('is refused when it is for %s', (_, params, why) => {
    expect(readQuestion('s', params)).toMatchObject({ refused: expect.stringContaining(why) as string });
  });

  it.each([
    form({ name: {}, max_tokens: {}, spinning: {}, passport: {}, keyboard: {} }),
    page('https://pay.example/1?a=b'),
    page('HTTP://x.example'),
  ])('is put to a person otherwise: %j', (params) => {
    expect(readQuestion('s', params)).toMatchObject({ question: { server: 's', message: params.message } });
  });
});

describe('what a server asks for in place of a result', () => {
  it('is kept as the server wrote it', () => {
    const requestState = ' \u0000\t"ä\u2028👋\\u0041 ';
    const params = form({ a: { type: 'string' } });
    const inputRequests = { ' key ': { method: 'elicitation/create', params } };
    expect(askedIn({ resultType: 'input_required', inputRequests, requestState } as never)).toEqual({
      questions: [{ key: ' key ', params }],
      requestState,
    });
  });

  it.each([
    [
      { inputRequests: { q: { method: 'sampling/createMessage' } } },
      'it asks for "sampling/createMessage", which is not offered',
    ],
    [{ inputRequests: { q: { method: 'roots/list' } } }, 'it asks for "roots/list", which is not offered'],
    [{ requestState: 'x'.repeat(1_000_001) }, 'its requestState is longer than 1000000 characters'],
    [
      {
        inputRequests: Object.fromEntries(
          Array.from({ length: 21 }, (_, n) => [n, { method: 'elicitation/create' }]),
        ),
      },
      'it asks 21 questions at once, of at most 20',
    ],
  ])('is an error when it cannot be met', (result, why) => {
    expect(() => askedIn(result as never)).toThrow(`The server's request for input cannot be met: ${why}.`);
  });

  it('may be the pages that an older server names in an error', () => {
    expect(askedBy({ elicitations: [{ mode: 'url', url: 'https://a', message: 'x' }] } as never)).toEqual({
      questions: [{ key: '0', params: { mode: 'url', url: 'https://a', message: 'x' } }],
      isPlain: true,
    });
  });
});
