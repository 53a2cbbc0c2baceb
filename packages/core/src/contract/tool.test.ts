import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { defineTool, isTool, type Tool } from './tool.ts';

const empty = { type: 'object', properties: {} } as const;
const find = { name: 'find', description: 'Finds.', input: empty, execute: () => 'found' };
const define = (changes: object): Tool => defineTool({ ...find, ...changes });

describe('a tool', () => {
  it('has defaults for what its definition leaves out', () => {
    const { execute, validate, ...facts } = defineTool(find);
    expect(facts).toMatchObject({
      name: 'find',
      description: 'Finds.',
      inputSchema: empty,
      returnDirectly: false,
      effect: 'write',
    });
    for (const key of [
      'maxResultTokens',
      'readsFiles',
      'title',
      'kind',
      'background',
      'locations',
      'unchecked',
    ])
      expect(facts).not.toHaveProperty(key);
    expect([typeof execute, typeof validate]).toEqual(['function', 'function']);
  });

  it('has what its definition says, and is frozen', () => {
    const given = {
      returnDirectly: true,
      effect: 'read',
      maxResultTokens: 0.5,
      readsFiles: true,
      title: 'Find',
      kind: 'search',
    };
    const tool = define(given);
    expect(tool).toMatchObject(given);
    expect(Object.isFrozen(tool)).toBe(true);
    expect(define({ readsFiles: false })).not.toHaveProperty('readsFiles');
    expect(define({ maxResultTokens: Infinity }).maxResultTokens).toBe(Infinity);
  });

  it('may use its definition as this', () => {
    const tool = define({
      execute(this: { name: string }) {
        return this.name;
      },
      locations(this: { name: string }) {
        return [{ path: this.name }];
      },
    });
    expect(tool.execute({}, undefined as never)).toBe('find');
    expect(tool.locations?.({})).toEqual([{ path: 'find' }]);
  });

  it('can be spread into another definition', () => {
    const { inputSchema: input, ...rest } = defineTool(find);
    expect(defineTool({ ...rest, input, inputSchema: input, name: 'search' } as never).name).toBe('search');
  });

  it('says which parts of its schema are not checked', () => {
    const input = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } };
    expect(define({ input }).unchecked).toEqual([expect.stringContaining('properties/a/pattern') as string]);
  });

  it('gets what a Standard Schema makes of its arguments', async () => {
    const input = z.object({ days: z.string().transform(Number) });
    expect(await define({ input }).validate({ days: '9' })).toEqual({ ok: true, value: { days: 9 } });
  });

  it('is known by its brand', () => {
    expect(isTool(defineTool(find))).toBe(true);
    expect(Reflect.get(defineTool(find), Symbol.for('shallot.tool'))).toBe(true);
    for (const other of [find, null, undefined, 'find', () => undefined]) expect(isTool(other)).toBe(false);
  });
});

describe('a definition of a tool', () => {
  it.each([
    [{ name: '' }, 'its name is ""; use 1 to 64 letters'],
    [{ name: 'a b' }, 'its name is "a b"; use'],
    [{ name: 'x'.repeat(65) }, 'use 1 to 64 letters'],
    [{ name: undefined }, 'its name is undefined; use'],
    [{ descripton: 'x' }, 'it has the unknown key "descripton" (did you mean "description"?)'],
    [{ zzzzzzzzzz: 'x' }, 'it has the unknown key "zzzzzzzzzz".'],
    [{ description: undefined }, 'its description is missing'],
    [{ execute: undefined }, 'it has no execute function'],
    [{ effect: 'none' }, 'its effect is "none"; write read, idempotent or write'],
    [{ maxResultTokens: 0 }, 'its maxResultTokens is 0; write a number of tokens above 0'],
    [{ maxResultTokens: Number.NaN }, 'its maxResultTokens is NaN'],
    [{ title: ' ' }, 'its title is " "; write a name for people'],
    [{ title: 7 }, 'its title is 7; write a name for people'],
    [{ kind: 'dance' }, 'its kind is "dance"; write one of'],
    [{ locations: [] }, 'its locations is no function'],
    [{ input: { type: 'string' } }, 'the type of its input is "string"; it must be "object"'],
    [{ input: { type: 'string', anyOf: [] } }, 'the type of its input is "string"; it must be "object"'],
    [{ input: { anyOf: [empty] } }, 'its input is a union at its root (anyOf)'],
    [{ input: { oneOf: [empty] } }, 'its input is a union at its root (oneOf)'],
    [{ input: { allOf: [empty] } }, 'its input is an intersection at its root (allOf)'],
    [{ input: { $ref: '#/$defs/a', $defs: { a: empty } } }, 'its input is a reference at its root ($ref)'],
    [{ input: { ...empty, properties: { a: { type: 'strin' } } } }, 'its input schema cannot be used: '],
  ])('is refused with %j', (changes, fault) => {
    expect(() => define(changes)).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringContaining(fault) as string }),
    );
  });

  it('may have names of up to 64 characters, and a title', () => {
    expect(define({ name: 'x'.repeat(64), title: 'T' }).title).toBe('T');
  });
});
