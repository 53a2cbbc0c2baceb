import type { AgentEvent, JsonValue, RunResult } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { fakeDesk } from '../../test/chat/fake-desk.ts';
import { screenText } from '../../test/chat/screen.ts';
import { KeptStream } from '../../test/terminal/kept-stream.ts';
import { Screen } from '../terminal/screen.ts';
import { progressNotes } from './progress-notes.ts';

const result: RunResult = {
  outcome: 'completed',
  stopReason: 'answer',
  text: '',
  messages: [],
  sources: [],
  interrupts: [],
  usage: { input: 0, output: 0, total: 0, modelCalls: 1 },
  steps: 1,
  sessionId: 'tea',
  runId: 'run_1',
  errors: [],
};

/** Returns stderr after these events and this end. */
async function notesOf(
  events: readonly AgentEvent[],
  {
    end = {},
    quiet = false,
    asks = false,
  }: { end?: Partial<RunResult>; quiet?: boolean; asks?: boolean } = {},
): Promise<string> {
  const stderr = new KeptStream();
  const { stdin, env } = process;
  const screen = new Screen({ stdin, stdout: new KeptStream(), stderr, env, cwd: '/work' });
  const notes = progressNotes(screen, { quiet, asks });
  for (const event of events) notes.event(event);
  notes.end({ ...result, ...end });
  await screen.close();
  return stderr.text.replace(/\d+\.\d s/, '0.0 s');
}

function plugin(data: Extract<AgentEvent, { type: 'plugin' }>['data']): AgentEvent {
  return { type: 'plugin', plugin: 'tea', name: 'made', data };
}

function toolEnd(message: Partial<Extract<AgentEvent, { type: 'tool-end' }>['message']>): AgentEvent {
  const content = [{ type: 'text' as const, text: 'over\nthere' }];
  return {
    type: 'tool-end',
    step: 1,
    message: { id: '1', role: 'tool', callId: 'c', name: 'pour', content, ...message },
  };
}

describe('progress on stderr', () => {
  it('shows what the provider executed, and the sources', async () => {
    const part = { type: 'provider-call', id: 'w', name: 'web_search', input: { query: 'tea' } } as const;
    const sources = [
      { id: '1', title: 'Tea\u202E', url: 'https://tea.example' },
      { id: '2', name: 'leaves.pdf' },
    ];
    const text = await notesOf([{ type: 'part-end', index: 0, part }], { end: { sources } });
    expect(text).toContain('→ web_search {"query":"tea"} (by the provider)\n');
    expect(text).toContain('source: Tea⟨U+202E⟩ https://tea.example\nsource: leaves.pdf\n');
  });

  it('says what is still waited for at once, and not with the next event', async () => {
    const stderr = new KeptStream();
    const screen = new Screen({
      stdin: process.stdin,
      stdout: new KeptStream(),
      stderr,
      env: process.env,
      cwd: '/work',
    });
    const notes = progressNotes(screen, { quiet: true });
    notes.event({ type: 'warning', code: 'STILL_WAITING', plugin: 'tea', message: 'Still waiting for tea.' });
    expect(stderr.text).toBe('warning [tea] STILL_WAITING: Still waiting for tea.\n');
    await screen.close();
  });

  it('shows the title of a tool, on one line, before its name', async () => {
    const start = { type: 'tool-start', step: 1, callId: 'c', name: 'pour', input: { cups: 2 } } as const;
    expect(await notesOf([{ ...start, title: 'Pour\nsome tea\u001b[31m' }, start])).toContain(
      ['→ Pour some tea⟨U+001B⟩[31m (pour) {"cups":2}', '→ pour {"cups":2}'].join('\n'),
    );
  });

  it('has a line for each plugin event, whatever its data', async () => {
    const events = [
      plugin({ cups: 2, kind: 'green', note: 'with honey', more: [1] }),
      plugin('ready'),
      plugin(7),
      plugin([1, 2]),
    ];
    expect(await notesOf(events)).toBe(
      [
        'tea made cups=2 kind=green note="with honey" more=[1]',
        'tea made ready',
        'tea made 7',
        'tea made [1,2]',
        'completed: 1 step, 0 tool calls, 0.0 s; session tea',
        '',
      ].join('\n'),
    );
  });

  it('shows what a program prints by its lines, and the last ones of many', async () => {
    const progress = (data: JsonValue): AgentEvent => ({ type: 'tool-progress', step: 1, callId: 'c', data });
    const many = Array.from({ length: 12 }, (_, index) => `line ${index}`);
    const notes = await notesOf([
      progress({ output: 'one\n\n\u001b[31mtwo' }),
      progress('three'),
      progress({ output: 1 }),
      progress({ output: 'x', done: 1 }),
      progress({ output: many.join('\n') }),
    ]);
    expect(notes.split('\n').slice(0, 16)).toEqual([
      '  one',
      '  ⟨U+001B⟩[31mtwo',
      '  three',
      '  {"output":1}',
      '  {"output":"x","done":1}',
      '  … 2 lines',
      ...many.slice(2).map((line) => `  ${line}`),
    ]);
  });

  it('says how tools ended: well, with an error, denied and by whom', async () => {
    const events: AgentEvent[] = [
      { type: 'tool-progress', step: 1, callId: 'c', data: { done: 0.5 } },
      toolEnd({}),
      toolEnd({ isError: true }),
      toolEnd({ isError: true, denied: { by: 'hitl', reason: 'too hot' } }),
      toolEnd({ isError: true, denied: { by: 'hitl' } }),
    ];
    expect((await notesOf(events)).split('\n').slice(0, 5)).toEqual([
      '  {"done":0.5}',
      '← pour 10 characters',
      '✗ pour over there',
      '✗ pour was denied by hitl: too hot',
      '✗ pour was denied by hitl',
    ]);
  });

  it('says what is asked, unless somebody is asked; keeps warnings with --quiet', async () => {
    const interrupt = {
      id: 'i1',
      kind: 'approval',
      plugin: 'hitl',
      payload: { why: 'hot' },
      answerSchema: {},
      createdAt: '2030-01-01T00:00:00Z',
    };
    const events: AgentEvent[] = [
      { type: 'step-start', step: 1 },
      { type: 'warning', code: 'tea/COLD', message: 'The tea is cold.', plugin: 'tea' },
      { type: 'warning', code: 'tea/COLD', message: 'The tea is cold.' },
      { type: 'interrupt', interrupt },
      { type: 'interrupt', interrupt: { ...interrupt, call: { id: 'c', name: 'pour', input: { cup: 1 } } } },
      plugin(1),
    ];
    const end: Partial<RunResult> = { outcome: 'interrupted', interrupts: [interrupt, interrupt] };
    const warnings = 'warning [tea] tea/COLD: The tea is cold.\nwarning tea/COLD: The tea is cold.\n';
    expect(await notesOf(events, { quiet: true, end })).toBe(warnings);
    expect(await notesOf(events, { asks: true, end })).toBe(`step 1\n${warnings}tea made 1\n`);
    expect(await notesOf(events, { end })).toBe(
      [
        `step 1\n${warnings}asks approval: {"why":"hot"} (asked by hitl)`,
        'asks approval: pour {"cup":1} (asked by hitl)',
        'tea made 1',
        'interrupted: 1 step, 0 tool calls, 0.0 s; session tea',
        '',
      ].join('\n'),
    );
  });

  it('warns of a run that a limit ended, and counts tokens', async () => {
    const usage = { input: 2, output: 1, total: 3, modelCalls: 2 };
    expect(await notesOf([], { end: { stopReason: 'limit', steps: 2, usage } })).toBe(
      'warning the run was stopped by a limit after 2 steps\n' +
        'completed: 2 steps, 0 tool calls, 3 tokens, 0.0 s; session tea\n',
    );
  });

  it('lets no text of others steer the terminal, and cuts long lines', async () => {
    const [line = ''] = (await notesOf([plugin(`\u001b[2J\nfirst${' and'.repeat(2000)}`)])).split('\n');
    expect(line).toMatch(/^tea made \[2J first and and .*…$/);
    expect(line.length).toBeLessThan(200);
  });
});

describe('a to-do list', () => {
  const plan = (...todos: readonly (readonly [content: string, status: string])[]): AgentEvent => ({
    type: 'plugin',
    plugin: 'todo',
    name: 'plan',
    data: { todos: todos.map(([content, status]) => ({ content, status })) },
  });
  const first = plan(['Boil the water', 'in_progress'], ['Pour it', 'pending']);
  const second = plan(['Boil the water', 'done'], ['Pour it', 'in_progress']);

  it('stays in its place on a terminal, below what is noted and above what is typed', () => {
    const { screen, shown } = fakeDesk();
    const notes = progressNotes(screen, { quiet: false, inChat: true });
    notes.event(first);
    screen.note('a note');
    expect(screenText(shown())).toBe('a note\n▸ Boil the water\n☐ Pour it');
    screen.footer({
      draw: () => screen.io.stderr.write('> typed'),
      erase: () => screen.io.stderr.write('\r\u001b[J'),
    });
    notes.event(second);
    screen.note('another');
    expect(screenText(shown())).toBe('a note\nanother\n✓ Boil the water\n▸ Pour it\n> typed');
    screen.footer(undefined);
    void screen.answer('Half a line');
    expect(screenText(shown())).toBe('a note\nanother\nHalf a line');
    screen.note('below');
    notes.end(result);
    screen.note('later');
    expect(screenText(shown())).toMatch(
      /^a note\nanother\nHalf a line\nbelow\n✓ Boil the water\n▸ Pour it\n1 step.*\nlater$/,
    );
  });

  it('is cut to the width of the terminal, and to some entries', () => {
    const { screen, shown, resize } = fakeDesk();
    resize(20);
    const notes = progressNotes(screen, { quiet: false });
    notes.event(plan(['漢字'.repeat(20), 'pending']));
    const done = Array.from(
      { length: 20 },
      (_, index) => [`step ${index}`, index < 10 ? 'done' : 'pending'] as const,
    );
    notes.event(plan(...done));
    const lines = screenText(shown()).trimEnd().split('\n');
    expect([lines[0], lines[1], lines.at(-2), lines.at(-1)]).toEqual([
      '✓ step 8',
      '✓ step 9',
      '☐ step 19',
      '… 8 more of 20',
    ]);
  });

  it('is written line by line elsewhere, without control characters, and not with quiet', async () => {
    const odd = plan(['Pour\u001b[2J it', 'pending']);
    expect(await notesOf([first, odd])).toContain('▸ Boil the water\n☐ Pour it\n☐ Pour');
    expect(await notesOf([first, odd])).not.toContain('\u001b[2J');
    expect(await notesOf([first], { quiet: true })).not.toContain('Boil');
  });

  it('with other data is an event like any other', async () => {
    expect(
      await notesOf([{ type: 'plugin', plugin: 'todo', name: 'plan', data: { todos: 'none' } }]),
    ).toContain('todo plan todos=none');
  });
});
