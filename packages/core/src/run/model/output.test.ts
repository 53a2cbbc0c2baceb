import { describe, expect, it } from 'vitest';

import { outputOf, readOutput } from './output.ts';

const any = async (value: unknown) => ({ ok: true, value }) as const;

describe('an answer is read as output', () => {
  it.each([
    ['JSON', '{"a":1}', { a: 1 }],
    ['JSON in a fence', '```json\n{"a":1}\n```', { a: 1 }],
    ['JSON in a plain fence, with white space', '\n ```\n[1]\n ``` \n', [1]],
  ])('from %s', async (_, text, value) => {
    expect(await readOutput(any, text)).toEqual({ ok: true, value });
  });

  it.each(['', 'Here it is: {"a":1}', '```ts\n{"a":1}\n```'])('or is not JSON: %j', async (text) => {
    const read = await readOutput(any, text);
    expect(read).toEqual({ ok: false, issues: expect.stringMatching(/^It is not JSON: ./) as unknown });
  });

  it('or cannot be checked, if the schema throws', async () => {
    const failing = async (): Promise<never> => {
      throw new Error('no network');
    };
    await expect(readOutput(failing, '1')).rejects.toMatchObject({
      code: 'OUTPUT_INVALID',
      message: 'The answer could not be checked, because the output schema threw: no network.',
      cause: { message: 'no network' },
    });
  });
});

describe('a schema of the output', () => {
  it('may be absent', () => {
    expect(outputOf(undefined)).toBeUndefined();
  });

  it.each([
    ['a title that is a name', { title: 'weather' }, 'weather'],
    ['a title that is none', { title: 'the weather' }, 'output'],
    ['a title that is no text', { title: 1 }, 'output'],
    ['no title', {}, 'output'],
  ])('has a name for %s', (_, schema, name) => {
    const output = outputOf({ type: 'object', ...schema });
    expect(output?.schema).toEqual({ name, schema: { type: 'object', ...schema } });
  });

  it('checks the answer', async () => {
    const output = outputOf({ type: 'object', required: ['a'] });
    expect(await output?.validate({ a: 1 })).toEqual({ ok: true, value: { a: 1 } });
    expect(await output?.validate({})).toMatchObject({ ok: false });
  });

  it('that says nothing is refused', () => {
    expect(() => outputOf({ type: 'objet' })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringMatching(/^The schema of the output cannot be used: /) as unknown,
      }),
    );
  });
});
