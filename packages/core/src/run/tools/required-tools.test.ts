import { describe, expect, it } from 'vitest';

import { runRecord } from '../../../../testing/src/store/store-samples.ts';
import type { ConfiguredPlugins, JournalEntry, OfferedTool, RunRecord } from '../../contract/store.ts';
import type { LiveSession } from '../../sessions/live/live-session.ts';
import type { AgentParts } from '../agent-parts.ts';
import { requireTools } from './required-tools.ts';

const call = (name: string) => ({ type: 'tool-call', id: 'c', name, input: {} }) as const;
const said = (...names: readonly string[]) => ({ id: 'm', role: 'assistant', content: names.map(call) });

interface Given {
  readonly offered: readonly OfferedTool[];
  readonly run?: Partial<RunRecord>;
  readonly plugins?: ConfiguredPlugins;
  /** The tools that are registered, by name. */
  readonly registered?: readonly string[];
  readonly execution?: Partial<JournalEntry>;
  readonly isDone?: boolean;
  readonly calls?: readonly string[];
  /** Set if the response of the model is still passing `afterModel`. */
  readonly isResponse?: boolean;
}

/** Resumes a run with open calls of these tools; by default one of `work`. */
function resume(given: Given): void {
  const { offered, run = {}, plugins, registered = [], execution, isDone } = given;
  const { calls = ['work'], isResponse } = given;
  const tools = {
    findOffered: ({ name, registeredAs }: OfferedTool) =>
      registered.includes(registeredAs ?? name) ? {} : undefined,
  };
  const session = {
    plugins,
    lastTurn: () => [said(...calls)],
    lastExecution: () => execution,
    journalled: () => (isDone === true ? {} : undefined),
  };
  const position =
    isResponse === true
      ? { at: 'afterModel', value: { message: said(...calls) }, offered }
      : { at: 'tools', offered };
  requireTools(
    { tools } as unknown as AgentParts,
    session as unknown as LiveSession,
    { ...runRecord('r', 'running'), position, ...run } as RunRecord,
  );
}

const work = { name: 'work' };
const theirs = { name: 'work', plugin: 'audit' };
const asked = (rest: object) => [{ id: 'q', call: { id: 'c', name: 'edited', input: {} }, ...rest }] as never;

describe('a run with open calls', () => {
  it.each<[string, Given]>([
    ['all of whose tools are there', { offered: [work], registered: ['work'] }],
    [
      'whose tool is there under its own name',
      { offered: [{ ...work, registeredAs: 'raw' }], registered: ['raw'] },
    ],
    ['that needs other tools', { offered: [{ name: 'other' }, work], registered: ['work'] }],
    ['whose tool was never offered', { offered: [] }],
    ['whose call was executed', { offered: [work], execution: { type: 'raw' } }],
    ['whose call has its result', { offered: [work], isDone: true }],
    ['that a plugin has ended', { offered: [work], run: { ending: { reason: 'ended', plugin: 'audit' } } }],
    ['that is not at its calls', { offered: [work], run: { position: { at: 'step' } } }],
    [
      'that was asked for another call',
      {
        offered: [work, { name: 'edited' }],
        registered: ['work'],
        run: { interrupts: asked({ call: { id: 'd', name: 'edited' } }) },
      },
    ],
    [
      'that was asked by a child',
      {
        offered: [work, { name: 'edited' }],
        registered: ['work'],
        run: { interrupts: asked({ under: ['c'] }) },
      },
    ],
  ])('%s goes on', (_, given) => {
    expect(() => resume(given)).not.toThrow();
  });

  it.each<[string, Given]>([
    ['of the model', { offered: [work] }],
    ['of a response', { offered: [work], isResponse: true }],
    ['that was begun', { offered: [work], execution: { type: 'intent' } }],
    ['whose result the gates hold', { offered: [work], execution: { type: 'raw', held: true } as never }],
    [
      'after one whose tool is there',
      { offered: [{ name: 'other' }, work], registered: ['other'], calls: ['other', 'work'] },
    ],
  ])('is refused without the tool of a call %s', (_, given) => {
    expect(() => resume(given)).toThrow(expect.objectContaining({ code: 'TOOL_GONE' }));
  });

  it.each<[string, Given]>([
    ['a question', { offered: [], run: { interrupts: asked({}) } }],
    [
      'the layers',
      { offered: [], execution: { type: 'intent', asked: { name: 'edited', input: {} } } as never },
    ],
    [
      'the gates',
      { offered: [], execution: { type: 'intent', done: { name: 'edited', input: {} } } as never },
    ],
  ])('is refused without the tool that %s changed a call to', (_, given) => {
    expect(() => resume({ ...given, offered: [work, { name: 'edited' }], registered: ['work'] })).toThrow(
      expect.objectContaining({
        code: 'TOOL_GONE',
        message: expect.stringContaining('tool "edited"') as unknown,
      }),
    );
  });
});

it.each<[OfferedTool, ConfiguredPlugins, object]>([
  [
    work,
    {},
    {
      plugin: undefined,
      message:
        'The call c needs the tool "work" that was offered, one of the agent\'s own, but it is not registered; a tool of another origin cannot replace it. Give the agent that tool again. Or abandon the run with abandon: true.',
    },
  ],
  [
    theirs,
    { audit: { name: 'audit', version: '1.0.0' } },
    {
      plugin: 'audit',
      message:
        'The call c needs the tool "work" that was offered, that of audit 1.0.0, but it is not registered; a tool of another origin cannot replace it. Configure audit to register the tool; a tool that is only used in requests is registered with tools.add(tool, { offered: false }). Or abandon the run with abandon: true.',
    },
  ],
  [
    { ...theirs, registeredAs: 'raw' },
    {},
    { message: expect.stringMatching(/that of audit \(registered as "raw"\), but/) as unknown },
  ],
])('the error says whose tool is gone, and what to do', (offered, plugins, members) => {
  expect(() => resume({ offered: [offered], plugins })).toThrow(expect.objectContaining(members));
});
