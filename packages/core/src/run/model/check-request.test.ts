import { describe, expect, it } from 'vitest';

import { message } from '../../../../testing/src/store/store-samples.ts';
import type { Message } from '../../contract/messages.ts';
import type { ModelRequest } from '../../contract/model.ts';
import { defineTool } from '../../contract/tool.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { RunParts } from '../run-parts.ts';
import { checkMessages, checkToolChoice } from './check-request.ts';

const said = (...ids: readonly string[]): Message => ({
  id: `said ${ids.join(' ')}`,
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', id, name: 'work', input: {} })),
});
const result = (callId: string): Message => ({
  id: `result ${callId}`,
  role: 'tool',
  callId,
  name: 'work',
  content: [{ type: 'text', text: 'ok' }],
});
const tapOf = (plugin: string, hook = 'beforeModel'): LiveTap =>
  ({ info: { plugin, hook, name: 'x' } }) as unknown as LiveTap;

/** A run whose plugins made a request in these steps, from the first one on. */
function runOf(...changes: readonly (readonly [LiveTap, ModelRequest])[]) {
  const warned: unknown[] = [];
  const blamed: unknown[] = [];
  const requests = changes.map(([, request]) => request);
  const run = {
    plugins: {
      changeOf: (request: ModelRequest) => {
        const index = requests.indexOf(request);
        return index < 1 ? undefined : { tap: changes[index]?.[0], given: requests[index - 1] };
      },
    },
    record: { newMessageId: () => 'new', session: {} },
    signs: {
      warn: (...warning: readonly unknown[]) => void warned.push(warning),
      blames: { tap: (tap: LiveTap) => void blamed.push(tap) },
    },
  };
  return { run: run as unknown as RunParts, warned, blamed };
}

const none = tapOf('nobody');
const requestOf = (members: Partial<ModelRequest>): ModelRequest =>
  ({ messages: [], ...members }) as ModelRequest;

describe('the messages of a changed request', () => {
  it('stay the same if each call has its result', () => {
    const messages = [message('u'), said('a'), result('a')];
    const { run, warned } = runOf();
    expect(checkMessages(run, requestOf({ messages }))).toBe(messages);
    expect(warned).toEqual([]);
  });

  it.each<[string, Message[], string]>([
    ['without a result', [said('a', 'b'), result('a')], 'calls without a result were answered (b).'],
    ['without a call', [message('u'), result('a')], 'results without a call were dropped (a).'],
    [
      'without each other',
      [said('a'), message('u'), result('b')],
      'calls without a result were answered (a); results without a call were dropped (b).',
    ],
  ])('%s are repaired, and whoever made them so is named', (_, messages, repairs) => {
    const valid = requestOf({ messages: [message('u')] });
    const broken = requestOf({ messages });
    const later = requestOf({ messages });
    const { run, warned } = runOf([none, valid], [tapOf('cut'), broken], [tapOf('late'), later]);
    const repaired = checkMessages(run, later);
    expect(repaired.filter(({ role }) => role === 'tool').length).toBe(
      repaired.flatMap(({ content }) => content.filter(({ type }) => type === 'tool-call')).length,
    );
    expect(warned).toEqual([['MESSAGES_REPAIRED', `The messages were not valid: ${repairs}`, 'cut']]);
  });

  it('with one call twice are an error of whoever made them so', () => {
    const valid = requestOf({ messages: [said('a'), result('a')] });
    const broken = requestOf({ messages: [said('a'), result('a'), said('a'), result('a')] });
    const cut = tapOf('twice', 'wrapModelCall');
    const { run, blamed } = runOf([none, valid], [cut, broken]);
    expect(() => checkMessages(run, broken)).toThrow(
      expect.objectContaining({
        code: 'HOOK_RESULT',
        plugin: 'twice',
        message: expect.stringContaining('several calls with the call id "a"') as unknown,
      }),
    );
    expect(blamed).toEqual([cut]);
  });

  it('with one call twice in the session are nobody’s error', () => {
    const messages = [said('a'), result('a'), said('a'), result('a')];
    expect(() => checkMessages(runOf().run, requestOf({ messages }))).not.toThrow();
  });
});

describe('the tool choice of a request', () => {
  const work = defineTool({
    name: 'work',
    description: 'Works.',
    input: { type: 'object' },
    execute: () => 'ok',
  });
  const choice = { toolChoice: { tool: 'work' } };

  it.each<[string, Partial<ModelRequest>]>([
    ['one of its tools', { ...choice, tools: [work] }],
    ['any tool', { toolChoice: 'required' }],
    ['nothing', {}],
  ])('may name %s', (_, members) => {
    expect(() => checkToolChoice(runOf().run, requestOf(members))).not.toThrow();
  });

  it('is an error of whoever named a tool that is not offered, or took it out', () => {
    const [offered, without] = [requestOf({ ...choice, tools: [work] }), requestOf({ ...choice, tools: [] })];
    const { run } = runOf([none, offered], [tapOf('cut'), without]);
    expect(() => checkToolChoice(run, without)).toThrow(
      expect.objectContaining({ code: 'HOOK_RESULT', plugin: 'cut' }),
    );
  });

  it('is an error of the options if no plugin made it so', () => {
    expect(() => checkToolChoice(runOf().run, requestOf({ ...choice, tools: [] }))).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    );
  });
});
