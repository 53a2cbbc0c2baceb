import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { collectEvents } from '../../../../testing/src/collect-events.ts';
import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import type { AgentEvent } from '../../contract/events.ts';
import { defineTool, type ToolDefinition } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';

const input = z.object({ path: z.string(), line: z.number().optional() });

function rename(changes: Partial<ToolDefinition<typeof input>> = {}) {
  return defineTool({
    name: 'rename',
    title: 'Rename a symbol',
    kind: 'edit',
    effect: 'idempotent',
    description: 'Renames.',
    input,
    locations: ({ path, line }) => [line === undefined ? { path } : { path, line }],
    async execute({ path }, { interrupt }) {
      return interrupt({ kind: 'question', payload: `Rename in ${path}?`, answer: { type: 'string' } });
    },
    ...changes,
  });
}

const call = { name: 'rename', args: { path: '/a.ts', line: 3 } };
const display = {
  title: 'Rename a symbol',
  kind: 'edit',
  effect: 'idempotent',
  locations: [{ path: '/a.ts', line: 3 }],
};

const startsOf = (events: readonly AgentEvent[]) => events.filter(({ type }) => type === 'tool-start');

describe('what a tool says of itself', () => {
  it('comes with tool-start and with the interrupts of a call', async () => {
    const model = scriptedModel([{ toolCalls: [call] }, { text: 'Done.' }]);
    await using agent = await createAgent({ model, tools: [rename()] });
    const { events, result } = await collectEvents(agent.stream('hello', { sessionId: 's' }));
    const [start] = startsOf(events);
    expect(start).toMatchObject({ name: 'rename', input: call.args, ...display });
    expect(start).not.toHaveProperty('resumed');
    expect(result?.interrupts[0]?.call).toMatchObject({ name: 'rename', input: call.args, ...display });
    expect((await agent.session('s'))?.interrupts[0]?.call).toMatchObject(display);
  });

  it('has the locations also when a schema checks the arguments later', async () => {
    const later = z.object({ path: z.string().refine(async (path) => Promise.resolve(path !== '')) });
    const tool = defineTool({
      name: 'rename',
      description: 'Renames.',
      input: later,
      locations: ({ path }) => [{ path }],
      execute: () => 'renamed',
    });
    const model = scriptedModel([
      { toolCalls: [{ name: 'rename', args: { path: '/b' } }] },
      { text: 'Done.' },
    ]);
    await using agent = await createAgent({ model, tools: [tool] });
    const { events } = await collectEvents(agent.stream('hello'));
    expect(startsOf(events)).toMatchObject([{ locations: [{ path: '/b' }] }]);
  });

  it('is said again when the run is resumed, and marked as announced before', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: () => 'seen',
    });
    const model = scriptedModel([
      { toolCalls: [call] },
      { toolCalls: [{ name: 'look', args: {} }] },
      { text: 'Done.' },
    ]);
    await using agent = await createAgent({ model, tools: [rename(), look] });
    const waiting = await agent.run('hello', { sessionId: 's' });
    const answers = Object.fromEntries(waiting.interrupts.map(({ id }) => [id, 'yes']));
    const { events } = await collectEvents(agent.streamResume('s', answers));
    expect(startsOf(events).map((event) => ('resumed' in event ? event.resumed : undefined))).toEqual([
      true,
      undefined,
    ]);
  });

  it('does not make an open question another one when it changes', async () => {
    const model = scriptedModel([{ toolCalls: [call] }, { text: 'Done.' }]);
    await using agent = await createAgent({ model, tools: [rename()] });
    const waiting = await agent.run('hello', { sessionId: 's' });
    await using newer = await agent.fork({ tools: [rename({ title: 'Rename', kind: 'other' })] });
    const answers = Object.fromEntries(waiting.interrupts.map(({ id }) => [id, 'yes']));
    expect((await newer.resume('s', answers)).outcome).toBe('completed');
  });

  it('leaves the locations out for arguments that the schema refuses', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'rename', args: { path: 7 } }] }, { text: 'Done.' }]);
    await using agent = await createAgent({ model, tools: [rename()] });
    const { events } = await collectEvents(agent.stream('hello'));
    expect(startsOf(events)[0]).toMatchObject({ kind: 'edit' });
    expect(startsOf(events)[0]).not.toHaveProperty('locations');
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no idea');
      },
      'no idea',
    ],
    ['returns no list', () => '/a.ts' as never, 'a list'],
    ['returns something else in a list', () => [{ path: '/a', line: 0 }], 'a line number from 1'],
  ])('is a warning, and no failure of the call, when locations %s', async (_, locations, why) => {
    const model = scriptedModel([{ toolCalls: [call] }, { text: 'Done.' }]);
    const execute = () => 'renamed';
    await using agent = await createAgent({ model, tools: [rename({ locations, execute })], log: 'silent' });
    const { events, result } = await collectEvents(agent.stream('hello'));
    expect(result?.text).toBe('Done.');
    expect(startsOf(events)[0]).not.toHaveProperty('locations');
    const warning = events.find((event) => event.type === 'warning');
    expect(warning?.code).toBe('TOOL_LOCATIONS');
    expect(warning?.message).toContain(why);
  });

  it.each([
    [{ title: ' ' }, 'its title is " "'],
    [{ kind: 'chat' as never }, 'its kind is "chat"; write one of read, edit'],
    [{ locations: [] as never }, 'its locations is no function'],
  ])('is refused when it is wrong: %j', (changes, message) => {
    expect(() => rename(changes)).toThrow(message);
  });
});
