import { describe, expect, it } from 'vitest';

import { fileAsText, textOfFile } from './file-as-text.ts';
import type { FilePart } from './messages.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const file = (more: Omit<FilePart, 'type'>): FilePart => ({ type: 'file', ...more });

describe('a file that a model does not take', () => {
  it.each([
    ['text/plain; charset=utf-8', 'Tea.'],
    ['application/json', 'Tea.'],
    ['application/vnd.tea+json', 'Tea.'],
    ['application/pdf', undefined],
    ['application/json5', undefined],
  ])('of type %s has the text %s', (mediaType, text) => {
    expect(textOfFile(file({ mediaType, data: base64('Tea.') }))).toBe(text);
  });

  it('has no text when it is given by its URL', () => {
    expect(textOfFile(file({ mediaType: 'text/plain', url: 'https://example.org/tea' }))).toBeUndefined();
  });

  it('is shown as its text, with its name', () => {
    const data = base64('Tea.');
    expect(fileAsText(file({ mediaType: 'text/plain', data }))).toBe('<file>\nTea.\n</file>');
    expect(fileAsText(file({ mediaType: 'text/plain', data, name: 'a "b"' }))).toBe(
      '<file name="a \\"b\\"">\nTea.\n</file>',
    );
  });

  it.each([
    [{ data: base64('x'.repeat(1025)), name: 'tea.pdf' }, ' tea.pdf (application/pdf, 2 KiB)'],
    [{ data: base64('x') }, ' (application/pdf, 1 KiB)'],
    [{ url: 'https://example.org/tea' }, ' https://example.org/tea (application/pdf)'],
    [{ url: 'https://example.org/tea', name: 'tea.pdf' }, ' tea.pdf (application/pdf)'],
  ])('is named with its size when it has none: %o', (more, shown) => {
    expect(fileAsText(file({ mediaType: 'application/pdf', ...more }))).toBe(
      `[The file${shown} is not shown: this model does not take it.]`,
    );
  });
});
