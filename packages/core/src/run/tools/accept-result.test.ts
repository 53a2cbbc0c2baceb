import { describe, expect, it } from 'vitest';

import { message } from '../../../../testing/src/store/store-samples.ts';
import type { RunResult } from '../../contract/result.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { acceptResult } from './accept-result.ts';

const tap = { info: { plugin: 'audit', hook: 'afterAgent', name: 'x' } } as LiveTap;
const given = Object.freeze({
  outcome: 'completed',
  stopReason: 'answer',
  text: 'Done.',
  messages: Object.freeze([message('m')]),
  sources: Object.freeze([]),
  usage: Object.freeze({ input: 1, output: 1, total: 2, modelCalls: 1 }),
  steps: 1,
  sessionId: 's',
}) as unknown as RunResult;

describe('the result that an afterAgent tap returns', () => {
  it.each([undefined, given])('is the given one: %o', (returned) => {
    expect(acceptResult(tap, returned, given)).toBe(given);
  });

  it('changes what may be changed, and nothing else', () => {
    const changed = {
      text: 'Better.',
      output: { a: 1 },
      messages: [message('n')],
      sources: [{ type: 'url', url: 'https://example.com' }],
      usage: { input: 2, output: 2, total: 4, modelCalls: 2 },
      steps: 2,
    };
    const result = acceptResult(tap, { ...given, ...changed, outcome: 'failed', sessionId: 't' }, given);
    expect(result).toEqual({ ...given, ...changed });
    for (const each of [result, result.messages, result.sources, result.usage])
      expect(Object.isFrozen(each)).toBe(true);
  });

  it('keeps the members that it does not name', () => {
    const result = acceptResult(tap, { text: 'Better.' }, given);
    expect(result).toEqual({ ...given, text: 'Better.' });
    expect(result.messages).toBe(given.messages);
    expect(result.sources).toBe(given.sources);
    expect(result.usage).toBe(given.usage);
    expect('output' in result).toBe(false);
  });

  it.each<[string, unknown, string]>([
    ['text alone', 'Done.', '"Done."'],
    ['null', null, 'null'],
    ['an object without text', { steps: 1 }, 'an object'],
    ['text that is none', { text: 1 }, 'a result whose text is the number 1'],
    ['messages that are no list', { text: '', messages: {} }, 'a result whose messages is'],
    ['sources that are no list', { text: '', sources: 1 }, 'a result whose sources is the number 1'],
    ['usage that is null', { text: '', usage: null }, 'a result whose usage is null'],
    ['usage that is no object', { text: '', usage: 1 }, 'a result whose usage is the number 1'],
    ['part of a step', { text: '', steps: 1.5 }, 'a result whose steps is the number 1.5'],
  ])('may not be %s', (_, returned, said) => {
    expect(() => acceptResult(tap, returned, given)).toThrow(
      expect.objectContaining({
        code: 'HOOK_RESULT',
        plugin: 'audit',
        message: expect.stringContaining(said) as unknown,
      }),
    );
  });

  it('has to be JSON', () => {
    const messages = [{ ...message('n'), metadata: { a: () => {} } }];
    expect(() => acceptResult(tap, { text: '', messages }, given)).toThrow(
      expect.objectContaining({ code: 'VALUE_NOT_JSON' }),
    );
  });
});
