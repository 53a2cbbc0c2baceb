import { defineTool, type RunResult } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import { textPart } from '@shallot/core/plugin';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { callChanges, requestChanges, responseChanges, resultChanges, runResultChanges } from './changes.ts';

const look = defineTool({ name: 'look', description: '', input: { type: 'object' }, execute: () => '' });
const request: ModelRequest = {
  model: scriptedModel([], { id: 'acme/one' }),
  instructions: '',
  messages: [],
  settings: {},
};
const response: ModelResponse = {
  message: { role: 'assistant', content: [textPart('Hi.')] },
  finish: 'stop',
};
const call = { id: 'c', index: 0, name: 'look', input: { at: 'x' } };
const result = { content: [textPart('an onion')] };

describe('what a layer changed', () => {
  it.each<readonly [string, Partial<ModelRequest>, unknown]>([
    [
      'the model',
      { model: scriptedModel([], { id: 'acme/two' }) },
      { model: { from: 'acme/one', to: 'acme/two' } },
    ],
    ['added tools', { tools: [look] }, { tools: { added: ['look'] } }],
    ['the choice of a tool', { toolChoice: { tool: 'look' } }, { toolChoice: { from: 'auto', to: 'look' } }],
    [
      'the shape of the answer',
      { output: { name: 'soup', schema: {} } },
      { output: { from: null, to: 'soup' } },
    ],
    ['metadata', { metadata: { tenant: 'secret' } }, { metadata: ['tenant'] }],
  ])('of a request is told without values: %s', (_, change, told) => {
    expect(requestChanges(request, { ...request, ...change }, false)).toEqual(told);
  });

  it.each<readonly [string, Partial<ModelResponse>, unknown]>([
    [
      'a tool call',
      {
        message: { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'look', input: {} }] },
      },
      {
        text: { length: { from: 3, to: 0 } },
        parts: {
          added: [{ at: 0, type: 'tool-call', id: 'c', name: 'look' }],
          removed: [{ at: 0, type: 'text' }],
        },
      },
    ],
    ['why it ended', { finish: 'length' }, { finish: { from: 'stop', to: 'length' } }],
    [
      'what it took',
      { usage: { input: 1, output: 0, total: 1 } },
      {
        usage: {
          input: { from: null, to: 1 },
          output: { from: null, to: 0 },
          total: { from: null, to: 1 },
        },
      },
    ],
  ])('of an answer is told without texts: %s', (_, change, told) => {
    expect(responseChanges(response, { ...response, ...change }, false)).toEqual(told);
  });

  it('of a tool call is told', () => {
    const metadata = { audit: 7 };
    expect(
      callChanges(call, { ...call, name: 'taste', input: { at: 'y', deep: 1 }, metadata }, false),
    ).toEqual({
      tool: { from: 'look', to: 'taste' },
      arguments: ['at', 'deep'],
      metadata: ['audit'],
    });
  });

  it('of a result is told, its data only with content', () => {
    const denied = { ...result, data: { n: 1 }, isError: true, denied: { by: 'guard' }, error: new Error() };
    const told = {
      isError: { from: false, to: true },
      denied: { from: null, to: 'guard' },
      error: { from: false, to: true },
    };
    expect(resultChanges(result, denied, false)).toEqual({ ...told, data: true });
    expect(resultChanges(result, denied, true)).toEqual({ ...told, data: { from: null, to: '{"n":1}' } });
  });

  it('of the metadata of a result is told', () => {
    const result = { content: [] };
    const marked = { ...result, metadata: { audit: 7 } };
    expect(resultChanges(result, marked, false)).toEqual({ metadata: ['audit'] });
  });

  it('of what a run gives is told, its output only with content', () => {
    const run = { text: '', output: { n: 1 }, messages: [] } as unknown as RunResult;
    const other = { ...run, output: { n: 2 } };
    expect(runResultChanges(run, other, false)).toEqual({ output: true });
    expect(runResultChanges(run, other, true)).toEqual({ output: { from: '{"n":1}', to: '{"n":2}' } });
  });

  it('in a text is told as what was put before or after it', () => {
    const changed = (from: string, to: string): unknown =>
      resultChanges({ content: [textPart(from)] }, { content: [textPart(to)] }, true);
    expect(changed('an onion', 'it is an onion')).toMatchObject({ text: { prepended: 'it is ' } });
    expect(changed('an onion', 'an onion.')).toMatchObject({ text: { appended: '.' } });
    expect(changed('an onion', 'a leek')).toMatchObject({ text: { to: 'a leek' } });
  });

  it('of a long list is told of the first, and how many more there are', () => {
    const tools = Array.from({ length: 25 }, (_, index) => ({ ...look, name: `look${index}` }));
    const told = requestChanges(request, { ...request, tools }, false) as { tools: { added: unknown[] } };
    expect(told.tools.added).toHaveLength(21);
    expect(told.tools.added.at(-1)).toBe('and 5 more');
  });
});
