import type { Interrupt } from '@shallot/core';
import { visible } from '@shallot/core/plugin';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';

import { visibleJson } from '../terminal/visible.ts';
import { renderQuestion } from './render-question.ts';

function question(parts: Partial<Interrupt>): string {
  const interrupt: Interrupt = {
    id: 'int_1',
    kind: 'approval',
    plugin: 'gate',
    payload: { decisions: ['approve'] },
    answerSchema: {},
    createdAt: '2030-01-01T00:00:00Z',
    ...parts,
  };
  return renderQuestion(interrupt, pc.createColors(false));
}

const call = { id: 'c', name: 'remove', input: { path: '/a\u200b' } };

describe('a question in full', () => {
  it('shows an approval as its plugin describes it', () => {
    const payload = {
      decisions: ['approve'],
      arguments: 'path: "/a"',
      output: 'path: "/etc/a"',
      description: 'It is old.',
      diff: '--- /a\n+++ /a\n@@ -1 +0,0 @@\n--- a dash\n',
      changed: { by: 'redact', tool: 'move', arguments: 'path: "/b"' },
    };
    expect(question({ call, payload })).toBe(
      [
        'approval  int_1  asked by gate at 2030-01-01T00:00:00Z',
        '  → remove',
        '    path: "/a"',
        '  executed with',
        '    path: "/etc/a"',
        '  It is old.',
        '  changed by redact; it was move',
        '    path: "/b"',
        '  --- /a',
        '  +++ /a',
        '  @@ -1 +0,0 @@',
        '  --- a dash',
      ].join('\n'),
    );
  });

  it('shows the arguments themselves when the payload has no text of them', () => {
    expect(question({ call })).toContain('  → remove\n    {\n      "path": "/a⟨U+200B⟩"\n    }');
    expect(question({ call: { ...call, input: {} } })).toContain('  → remove\n    (no arguments)');
  });

  it('shows the title of the tool, and the places that the call touches, all on lines of their own', () => {
    const locations = [
      { path: '/a\n/b' },
      ...Array.from({ length: 20 }, (_, line) => ({ path: '/c', line: line + 1 })),
    ];
    const lines = question({ call: { ...call, title: 'Remove\na file', input: {}, locations } }).split('\n');
    expect(lines.slice(1, 5)).toEqual([
      '  → Remove⟨U+000A⟩a file (remove)',
      '    (no arguments)',
      '    touches /a⟨U+000A⟩/b',
      '    touches /c:1',
    ]);
    expect(lines.at(-1)).toBe('    touches 1 more place');
    expect(lines).toHaveLength(24);
  });

  it('shows what a tool asks in its own words without the arguments that the words came from', () => {
    const parts = { kind: 'question', payload: { message: 'Which path?' }, call };
    expect(question({ ...parts, plugin: 'tool' })).toMatch(/\n  Which path\?$/);
    expect(question(parts)).toContain('  Which path?\n  → remove');
  });

  it('shows what the call is executed with, when only the question says so', () => {
    const output = { value: { path: '/etc\u200b' }, notJson: ['at\u200b is an instance of Date'] };
    const lines = [
      '  executed with',
      '    {',
      '      "path": "/etc⟨U+200B⟩"',
      '    }',
      '    (not JSON: at⟨U+200B⟩ is an instance of Date)',
    ];
    for (const kind of ['approval', 'question'])
      expect(question({ kind, call: { ...call, output } })).toContain(lines.join('\n'));
  });

  it('lets nothing that was typed look like the number of a hidden character', () => {
    const typed = { ...call, input: { path: '⟨U+202E⟩ ⟨U+202e⟩ ⟨U+⟩ ⟨x⟩' } };
    const shown = '"⟨U+27E8⟩U+202E⟩ ⟨U+27E8⟩U+202e⟩ ⟨U+⟩ ⟨x⟩"';
    expect(question({ call: typed })).toContain(shown);
    expect(question({ kind: 'q', call: typed })).toContain(shown);
    // The plugin that asks has made hidden characters visible: its text stays as it is.
    const payload = { decisions: ['approve'], arguments: 'path: "⟨U+202E⟩"' };
    expect(question({ call, payload })).toContain('path: "⟨U+202E⟩"');
  });

  it('shows any other question: what it says, its call, and what the call does not tell', () => {
    const payload = { tool: 'remove', input: call.input, message: 'Again?', tries: 2 };
    expect(question({ kind: 'unknown-effect', call, payload })).toMatch(
      /\n {2}Again\?\n {2}→ remove\n {4}\{\n.*\n {4}\}\n {2}\{\n {4}"tries": 2\n {2}\}$/,
    );
    const requestedSchema = { type: 'object' };
    expect(
      question({
        kind: 'q',
        payload: { server: 's', requestedSchema },
        answerSchema: { anyOf: [requestedSchema] },
      }),
    ).toMatch(/\n {2}\{\n {4}"server": "s"\n {2}\}$/);
    expect(question({ kind: 'q', payload: [1] })).toContain('\n  [\n    1\n  ]');
  });

  it('hides nothing: controls, bidirectional marks, half characters', () => {
    const evil = '\u001b[2J\u202e\u2066\u00ad\u{e0041}\ud800\r\u00a0';
    const shown = question({ kind: evil, plugin: evil, call: { ...call, name: evil }, payload: evil });
    expect(shown).not.toMatch(/[^\P{C}\n]|\u00a0/u);
    expect(visible('\u001b\u202e\ud800')).toBe('⟨U+001B⟩⟨U+202E⟩⟨U+D800⟩');
    expect(JSON.parse(visibleJson(JSON.stringify({ evil })))).toEqual({ evil });
    expect(visibleJson('"\u202e\u{e0041}"')).toBe(String.raw`"\u202e\udb40\udc41"`);
  });
});
