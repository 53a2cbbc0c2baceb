import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { message } from '../../../../testing/src/store/store-samples.ts';
import { isWholeMessage, toMessage, type Message } from '../../contract/messages.ts';
import type { ModelRequest } from '../../contract/model.ts';
import { defineTool, type Tool } from '../../contract/tool.ts';
import { pathIn, resultPlace } from '../../files/session-place.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { LiveSession } from '../../sessions/live/live-session.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';
import type { RunParts } from '../run-parts.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import {
  acceptRequest,
  baseRequest,
  completeMessages,
  finalRequest,
  restoreRequest,
  storeRequest,
} from './model-request.ts';

const model = scriptedModel([]);
const tap = {
  info: { plugin: 'audit', hook: 'beforeModel', name: 'x' },
  owner: { id: 'audit' },
} as unknown as LiveTap;
const whole = (id: string): Message => toMessage({ id, role: 'user', content: id }, () => 'unused');
const toolOf = (name: string): Tool =>
  defineTool({ name, description: 'Works.', input: { type: 'object' }, execute: () => 'ok' });
const choice = { toolChoice: 'auto' } as const;
const providerTools = [{ id: 'acme.search', name: 'search', args: {} }];

/** A run in a session with these messages, which notes whoever changed its requests and placed its tools. */
function runIn(messages: readonly Message[] = []) {
  const session = new LiveSession(memoryStore(), 's', undefined);
  session.hold({ append: messages });
  const noted: unknown[] = [];
  let count = 0;
  const run = {
    record: { session, newMessageId: () => `new_${(count += 1)}` },
    plugins: {
      noteChange: (_: ModelRequest, change: object) => void noted.push(change),
      notePlacer: ({ name }: Tool, { id }: { readonly id: string }) => void noted.push(`${name} of ${id}`),
      changeOf: () => undefined,
    },
    signs: { warn: () => {} },
  } as unknown as RunParts;
  return { run, session, noted };
}

const given: ModelRequest = Object.freeze({
  model,
  instructions: '',
  messages: Object.freeze([whole('a'), whole('b')]),
  settings: Object.freeze({}),
  tools: Object.freeze([toolOf('read')]),
  metadata: Object.freeze({ seen: true }),
});

describe('a request that a plugin passes on', () => {
  it('is the given one if nothing was changed', () => {
    const { run, noted } = runIn();
    expect(acceptRequest(run, tap, given, given)).toBe(given);
    expect(noted).toEqual([]);
  });

  it('is frozen, keeps what was not changed, and is noted as a change of the plugin', () => {
    const { run, noted } = runIn();
    const accepted = acceptRequest(run, tap, { ...given, instructions: 'Be brief.' }, given);
    expect(accepted).toEqual({ ...given, instructions: 'Be brief.' });
    expect(Object.isFrozen(accepted)).toBe(true);
    for (const member of ['messages', 'tools', 'metadata'] as const)
      expect(accepted[member]).toBe(given[member]);
    expect(noted).toEqual([{ tap, given }]);
  });

  it('may lack tools and metadata', () => {
    const { run } = runIn();
    const { tools: _, metadata: __, ...rest } = given;
    expect(Object.keys(acceptRequest(run, tap, rest, given))).toEqual(Object.keys(rest));
  });

  it('has frozen metadata of JSON', () => {
    const { run } = runIn();
    const metadata = { list: [1] };
    const accepted = acceptRequest(run, tap, { ...given, metadata }, given);
    expect(accepted.metadata).toEqual(metadata);
    expect([Object.isFrozen(accepted.metadata), Object.isFrozen(metadata)]).toEqual([true, false]);
    expect(() => acceptRequest(run, tap, { ...given, metadata: { a: () => {} } }, given)).toThrow(
      expect.objectContaining({ code: 'VALUE_NOT_JSON' }),
    );
  });

  it('has one tool of each name, the later one in the place of the first, and new ones are the plugin’s', () => {
    const { run, noted } = runIn();
    const [read, write, other] = [toolOf('read'), toolOf('write'), given.tools?.[0]] as [Tool, Tool, Tool];
    const { tools } = acceptRequest(run, tap, { ...given, tools: [other, write, read] }, given);
    expect(tools).toHaveLength(2);
    expect(tools?.[0]).toBe(read);
    expect(tools?.[1]).toBe(write);
    expect(noted.slice(0, 2)).toEqual(['read of audit', 'write of audit']);
  });

  it.each<[string, unknown, string]>([
    ['text', 'request', '"request"'],
    ['null', null, 'null'],
    ['a request without a model', { messages: [], settings: {} }, 'spread the one it received'],
    ['a request without messages', { model, settings: {} }, 'spread the one it received'],
    ['a request without settings', { model, messages: [] }, 'spread the one it received'],
    ['a request whose messages were all taken out', { ...given, messages: [] }, 'at least one message'],
    ['a request with something that is no tool', { ...given, tools: ['read'] }, 'tools made by defineTool'],
    ['a request with other settings than an object', { ...given, settings: 1 }, 'an object as settings'],
  ])('may not be %s', (_, passed, said) => {
    expect(() => acceptRequest(runIn().run, tap, passed, given)).toThrow(
      expect.objectContaining({
        code: 'HOOK_RESULT',
        plugin: 'audit',
        message: expect.stringContaining(said) as unknown,
      }),
    );
  });

  it('may have no messages if it had none', () => {
    const empty = { ...given, messages: [] };
    expect(acceptRequest(runIn().run, tap, { ...empty, instructions: 'Begin.' }, empty).messages).toEqual([]);
  });
});

describe('the messages of a plugin', () => {
  const known = [whole('a'), whole('b'), whole('c')];
  const [a, b, c] = known as [Message, Message, Message];

  it('are frozen and whole, and those that are known stay the same', () => {
    const { run } = runIn(known);
    const added = { role: 'user', content: 'Hi' } as const;
    const messages = completeMessages(run.record, [a, added, c], run.record.session.messages, 'audit');
    expect(messages.map(({ id }) => id)).toEqual(['a', 'new_1', 'c']);
    expect([messages[0], messages[2]]).toEqual([a, c]);
    expect(messages[0]).toBe(a);
    expect(messages[2]).toBe(c);
    expect([Object.isFrozen(messages), isWholeMessage(messages[1])]).toEqual([true, true]);
  });

  it('that a store has loaded are known too, but a copy of one is not', () => {
    const loaded = ['a', 'b', 'c'].map((id) => message(id));
    const { run } = runIn(loaded);
    const { messages } = run.record.session;
    const turned = completeMessages(run.record, [...messages].toReversed(), messages, 'audit');
    expect(turned[0]).toBe(messages[2]);
    const [copied] = completeMessages(run.record, [{ ...message('a') }], messages, 'audit');
    expect(copied).not.toBe(messages[0]);
    expect(copied).toEqual(messages[0]);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['in their place keep the ids of those that they replace', ['a', 'b*', 'c'], ['a', 'b', 'c']],
    ['elsewhere get ids of their own', ['a', 'a*', 'c'], ['a', 'new_1', 'c']],
    ['after the others get ids of their own', ['a', 'b', 'c', 'b*'], ['a', 'b', 'c', 'new_1']],
    ['with one id get several', ['a', 'x*', 'x*', 'c'], ['a', 'x', 'new_1', 'c']],
    ['with an id that nobody has keep it', ['x*', 'a', 'b', 'c'], ['x', 'a', 'b', 'c']],
  ])('%s', (_, ids, expected) => {
    const { run } = runIn(known);
    const input = ids.map((id) =>
      id.endsWith('*')
        ? { id: id.slice(0, -1), role: 'user' as const, content: 'New.' }
        : (known.find((each) => each.id === id) ?? a),
    );
    const complete = completeMessages(run.record, input, run.record.session.messages, 'audit');
    expect(complete.map(({ id }) => id)).toEqual(expected);
  });

  it('that follow those of another plugin have ids that neither it nor the session has', () => {
    const { run } = runIn(known);
    const before = [a, whole('x'), c];
    const idsOf = (...input: readonly (Message | string)[]): string[] =>
      completeMessages(
        run.record,
        input.map((each) => (typeof each === 'string' ? { id: each, role: 'user', content: 'New.' } : each)),
        before,
        'audit',
      ).map(({ id }) => id);
    const [, x] = before as [Message, Message];
    // The session has b, although the plugin before has taken it out.
    expect(idsOf(a, x, 'b', c)).toEqual(['a', 'x', 'new_1', 'c']);
    expect(idsOf(a, x, 'x', c)).toEqual(['a', 'x', 'new_2', 'c']);
    expect(idsOf(a, 'x', c)).toEqual(['a', 'x', 'c']);
    // The message of the session itself comes back.
    expect(idsOf(a, b, c)).toEqual(['a', 'b', 'c']);
  });
});

describe('the request for the model', () => {
  const read = toolOf('read');

  it.each<[string, Partial<ModelRequest>]>([
    ['tools', { tools: [read] }],
    ['tools of the provider', { providerTools }],
    ['tools of both', { tools: [read], providerTools, ...choice }],
  ])('with %s is the one that was made', (_, members) => {
    const { run, session } = runIn([whole('a')]);
    const { tools: __, ...bare } = given;
    const request = { ...bare, messages: session.messages, ...members };
    expect(finalRequest(run, request)).toBe(request);
  });

  it.each<[string, Partial<ModelRequest>, readonly string[]]>([
    ['no empty list of tools', { tools: [], providerTools, ...choice }, ['providerTools', 'toolChoice']],
    [
      'no empty list of the provider',
      { tools: [read], providerTools: [], ...choice },
      ['tools', 'toolChoice'],
    ],
    ['no choice without tools', { tools: [], ...choice }, []],
    ['no choice without any list of tools', choice, []],
  ])('has %s', (_, members, left) => {
    const { run, session } = runIn([whole('a')]);
    const { tools: __, ...bare } = given;
    const request = finalRequest(run, { ...bare, messages: session.messages, ...members });
    const expected = ['model', 'instructions', 'messages', 'settings', 'metadata', ...left];
    expect(Object.keys(request).toSorted()).toEqual(expected.toSorted());
    expect(Object.isFrozen(request)).toBe(true);
  });

  it('has a result for every call of changed messages', () => {
    const { run } = runIn();
    const call = toMessage(
      { role: 'assistant', content: [{ type: 'tool-call', id: 'x', name: 'read', input: {} }] },
      () => 'm',
    );
    const { messages } = finalRequest(run, { ...given, messages: [call] });
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });
});

describe('the request of a step', () => {
  const other = scriptedModel([], { id: 'test/other' });
  const [read, hidden] = [toolOf('read'), toolOf('hidden')];

  /** A run of an agent with two tools, of which it offers one. */
  function runOf(terms: object = {}, agent: object = {}) {
    const tools = new ToolRegistry();
    tools.add(read);
    tools.add(hidden, { offered: false });
    const models = { note: () => {}, get: () => other };
    const parts = { model, instructions: 'Be kind.', tools, providerTools: [], models, ...agent };
    const { run, session } = runIn([whole('a')]);
    const plugins = { parts, placerOf: () => undefined };
    const all = { ...run, plugins, terms: { parts, model: { settings: { seed: 1 }, ...terms } } };
    return { run: all as unknown as RunParts, session };
  }

  it('has what the agent was given, and nothing else', () => {
    const { run, session } = runOf();
    const request = baseRequest(run.terms, run.record);
    expect(request).toEqual({
      model,
      instructions: 'Be kind.',
      messages: session.messages,
      tools: [read],
      settings: { seed: 1 },
    });
    expect(Object.isFrozen(request)).toBe(true);
  });

  it('has the output, the choice and the tools of the provider, if there are any', () => {
    const schema = { name: 'output', schema: {} };
    const { run } = runOf({ output: { schema }, toolChoice: 'auto' }, { providerTools });
    expect(baseRequest(run.terms, run.record)).toMatchObject({
      output: schema,
      toolChoice: 'auto',
      providerTools,
    });
  });

  it('has the tool that reads kept results, once there are some', () => {
    const { run, session } = runOf();
    const names = (): unknown => baseRequest(run.terms, run.record).tools?.map(({ name }) => name);
    session.hold({ about: { files: ['/notes'] } });
    expect(names()).toEqual(['read']);
    session.hold({ about: { files: [pathIn(resultPlace, 's')] } });
    expect(names()).toEqual(['read', 'read_result']);
  });

  it('is stored without what a resume has anyway', () => {
    const { run } = runOf();
    const base = baseRequest(run.terms, run.record);
    expect(storeRequest(run.plugins, run.record, base)).toEqual({
      instructions: 'Be kind.',
      settings: { seed: 1 },
    });
  });

  it.each<[string, Partial<ModelRequest>]>([
    ['nothing', {}],
    ['the instructions', { instructions: 'Be brief.' }],
    ['the settings', { settings: { seed: 2 } }],
    ['the model', { model: other }],
    ['the messages', { messages: [whole('a'), whole('b')] }],
    ['the tools', { tools: [hidden] }],
    ['all tools', { tools: [] }],
    ['the tools of the provider', { providerTools }],
    ['the choice', { toolChoice: 'required' }],
    ['the output', { output: { name: 'output', schema: { type: 'object' } } }],
    ['the metadata', { metadata: { seen: true } }],
  ])('is the same again after a resume, when a plugin has changed %s', (_, change) => {
    const { run } = runOf({ toolChoice: 'auto' });
    const request = { ...baseRequest(run.terms, run.record), ...change };
    const restored = restoreRequest(run, storeRequest(run.plugins, run.record, request));
    expect(restored).toEqual(request);
    expect(restored.model).toBe(request.model);
    expect(Object.isFrozen(restored)).toBe(true);
  });

  it('lacks what a plugin has taken out, also after a resume', () => {
    const { run } = runOf({ toolChoice: 'auto', output: { schema: { name: 'output', schema: {} } } });
    const { toolChoice: _, output: __, ...request } = baseRequest(run.terms, run.record);
    expect(restoreRequest(run, storeRequest(run.plugins, run.record, request))).toEqual(request);
  });
});
