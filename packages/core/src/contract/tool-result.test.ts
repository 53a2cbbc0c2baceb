import { describe, expect, it } from 'vitest';

import { textPart } from './messages.ts';
import {
  checkResult,
  errorResult,
  isToolResult,
  storedResult,
  takeMetadata,
  toToolResult,
} from './tool-result.ts';

describe('the output of a tool', () => {
  it.each([
    [undefined, { content: [] }],
    ['', { content: [textPart('')] }],
    ['done', { content: [textPart('done')] }],
    [{ count: 2 }, { content: [textPart('{"count":2}')], data: { count: 2 } }],
    [null, { content: [textPart('null')], data: null }],
    [
      { content: '', isError: true },
      { content: [], isError: true },
    ],
    [{ content: 'done' }, { content: [textPart('done')] }],
    [
      { content: [textPart('a')], data: 0 },
      { content: [textPart('a')], data: 0 },
    ],
    [
      { content: 'a', metadata: { audit: { by: 'x' } } },
      { content: [textPart('a')], metadata: { audit: { by: 'x' } } },
    ],
    [
      { content: 'a', data: { at: new Date(0) }, metadata: { audit: { at: new Date(0) } } },
      {
        content: [textPart('a')],
        data: { at: '1970-01-01T00:00:00.000Z' },
        metadata: { audit: { at: '1970-01-01T00:00:00.000Z' } },
      },
    ],
    [
      { content: 'a', error: 'cause' },
      { content: [textPart('a')], error: 'cause' },
    ],
    [
      { content: 'a', denied: { by: 'x' } },
      { content: [textPart('a')], denied: { by: 'x' } },
    ],
  ])('%j becomes the result %j', (output, result) => {
    expect(toToolResult(output, 'find')).toStrictEqual(result);
  });

  it('is frozen', () => {
    const result = toToolResult({ content: [textPart('a')] }, 'find');
    expect([result, result.content, result.content[0]].map(Object.isFrozen)).toEqual([true, true, true]);
    expect(Object.isFrozen(toToolResult(undefined, 'find').content)).toBe(true);
  });

  it('with string content and members of its own is JSON', () => {
    const file = { content: 'text', path: '/a' };
    expect(isToolResult(file)).toBe(false);
    expect(toToolResult(file, 'read').data).toEqual(file);
  });

  it.each([
    [[], true],
    [[{ type: 'text', text: '' }], true],
    [[{ type: 'file', mediaType: 'image/png', data: '' }], true],
    [[{ type: 'text' }], false],
    [[{ type: 'file' }], false],
    [[{ type: 'other', text: '', mediaType: '' }], false],
    [[null], false],
    [['text'], false],
    [[{ text: 'no type' }], false],
    [7, false],
  ])('with the content %j is a result: %j', (content, is) => {
    expect(isToolResult({ content })).toBe(is);
  });

  it.each([null, undefined, 'text', { text: 'no content' }])('%j is not a result', (value) => {
    expect(isToolResult(value)).toBe(false);
  });

  it('reports values that JSON does not keep', () => {
    const lost: string[] = [];
    const lose = (what: string): void => void lost.push(what);
    toToolResult({ map: new Map([[1, 2]]) }, 'find', lose);
    toToolResult({ content: 'a', data: { set: new Set([1]) } }, 'find', lose);
    toToolResult({ content: 'a', data: { fine: 1 } }, 'find', lose);
    expect(lost).toHaveLength(2);
  });
});

describe('a result of a tool or layer', () => {
  it('with an unknown member is refused, with the name that was meant', () => {
    const result = { content: [textPart('a')], dat: 1 } as never;
    expect(() => checkResult(result, 'find')).toThrow(
      expect.objectContaining({
        code: 'TOOL_RESULT',
        message: expect.stringContaining(
          'The result of the tool find has the unknown member "dat" (did you mean "data"?)',
        ) as string,
      }),
    );
    expect(() => checkResult(result, 'find', 'audit')).toThrow(
      expect.objectContaining({
        code: 'HOOK_RESULT',
        plugin: 'audit',
        hook: 'wrapToolCall',
        message: expect.stringContaining(
          'The result that audit returned for find has the unknown member "dat"',
        ) as string,
      }),
    );
  });

  it('with a member under a symbol is refused', () => {
    const result = { content: 'a', [Symbol('hidden')]: 1 };
    expect(() => checkResult(result, 'find')).toThrow('unknown member "Symbol(hidden)". A result may have');
  });

  it('with a part of another kind is refused, in the name of whoever made it', () => {
    const result = { content: [{ type: 'reasoning', text: 'x' }] } as never;
    expect(() => checkResult(result, 'find')).toThrow(
      expect.objectContaining({
        code: 'TOOL_RESULT',
        message: expect.stringMatching(
          /^The result of the tool find is not valid: content\[0\]\.type/,
        ) as string,
      }),
    );
    expect(() => checkResult(result, 'find', 'audit')).toThrow(
      expect.objectContaining({
        code: 'HOOK_RESULT',
        plugin: 'audit',
        hook: 'wrapToolCall',
        message: expect.stringMatching(
          /^The result that audit returned for find is not valid: content\[0\]\.type/,
        ) as string,
      }),
    );
  });

  it.each([[['a']], [null], ['a'], [1]])('has no metadata such as %j', (metadata) => {
    expect(() => takeMetadata(metadata as never, 'the metadata', 'audit')).toThrow(
      expect.objectContaining({ code: 'VALUE_NOT_JSON', plugin: 'audit' }),
    );
  });

  it('keeps metadata as frozen JSON', () => {
    const metadata = takeMetadata({ audit: { by: 'x' } }, 'the metadata');
    expect(metadata).toEqual({ audit: { by: 'x' } });
    expect(Object.isFrozen(metadata['audit'])).toBe(true);
    expect(() => takeMetadata({ audit: new Date(0) } as never, 'the metadata')).toThrow('the metadata');
  });

  it('is stored without its error and without what is not set', () => {
    const whole = { content: [], data: 1, isError: true, denied: { by: 'x' }, metadata: { a: 1 } } as const;
    expect(storedResult({ ...whole, error: new Error('cause') })).toStrictEqual(whole);
    expect(storedResult({ content: [], isError: false })).toStrictEqual({ content: [] });
  });

  it('of a failure has the text for the model, and the thrown value if there is one', () => {
    const error = new Error('cause');
    expect(errorResult('failed', error)).toStrictEqual({
      content: [textPart('failed')],
      isError: true,
      error,
    });
    expect(errorResult('failed')).toStrictEqual({ content: [textPart('failed')], isError: true });
  });
});
