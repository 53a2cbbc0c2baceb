import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { plain } from '../../test/terminal.ts';
import { answering, header, project, steady } from '../../test/traced-project.ts';

describe('shallot run --trace', () => {
  it('keeps what was there when Ctrl-C stops the run', async () => {
    const endless = `[{ chunks: [{ type: 'text-delta', index: 0, text: 'Once upon a time' }], stall: true }]`;
    const { start, here } = project(endless);
    const running = start(['run', '--trace', 't.jsonl', '--json', 'Tell me a story']);
    await running.seen('Once upon a time');
    running.child.kill('SIGINT');
    expect((await running.ended).status).toBe(130);
    const { stdout } = await here(['trace', 't.jsonl']);
    expect(steady(stdout)).toMatch(/run {2}0 ms.*✗ aborted: RUN_ABORTED/);
    expect(stdout).toMatch(/chat .*first chunk/);
  });

  it('keeps what was there when the process is killed', async () => {
    const endless = `[{ chunks: [{ type: 'text-delta', index: 0, text: 'Once upon a time' }], stall: true }]`;
    const { start, here, folder } = project(endless);
    const running = start(['run', '--trace', 't.jsonl', '--json', 'Tell me a story']);
    await running.seen('Once upon a time');
    const file = join(folder, 't.jsonl');
    // It is written in the background.
    const isWritten = (): boolean => existsSync(file) && readFileSync(file, 'utf8').includes('first-chunk');
    await vi.waitUntil(isWritten, { timeout: 20_000 });
    running.child.kill('SIGKILL');
    await running.ended;
    const { stdout, status } = await here(['trace', 't.jsonl']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^run .*not finished$/m);
  });
});

describe('shallot trace', () => {
  it('shows what can be read of a damaged file, and obeys none of it', async () => {
    const { onTerminal, folder } = project('[]');
    const lines = [
      header,
      '{"type":"start","id":1,"kind":"run","at":5}',
      '{"type":"start","id":2,"parent":1,"kind":"tool","at":5,"tool":"\\u001b]0;owned\\u0007evil"}',
      '{"type":"start","id":3,"parent":1,"kind":"model","at":5,"model":{},"attempt":[],"origin":{},"newMessages":7}',
      '{"type":"end","id":3,"at":6,"usage":"none","finish":{},"error":{}}',
      '{"type":"start","id":4,"parent":1,"kind":"layer","at":5}',
      '{"type":"end","id":4,"at":6,"changes":{"request":{"a":null,"b":[{}],"c":{"added":[{}]}}}}',
      'rubbish',
      '{"type":"lost","lines":2}',
      ...Array.from(
        { length: 5000 },
        (_, index) => `{"type":"start","id":${index + 10},"parent":${index + 9},"kind":"step","at":5}`,
      ),
      '{"type":"end"',
    ];
    writeFileSync(join(folder, 't.jsonl'), lines.join('\n'));
    const { status, screen } = await onTerminal(['trace', 't.jsonl']).ended;
    const shown = plain(screen);
    expect(status).toBe(0);
    expect(screen).not.toContain('\u001b]');
    expect(shown).toMatch(/tool \]0;ownedevil/);
    expect(shown).toMatch(
      /incomplete: 2 lines could not be written\nincomplete: 1 line cannot be read; the first is line 8\n/,
    );
    expect(shown).toMatch(/incomplete: the last line is incomplete\n$/);
  });
});

describe('two processes', () => {
  it('that trace into one name write two files', async () => {
    const { run, folder } = project(answering);
    await Promise.all(['One?', 'Two?'].map((question) => run(['run', '-q', '--trace', 't.jsonl', question])));
    const names = readdirSync(folder).filter((name) => /^t.*\.jsonl$/.test(name));
    expect(names).toHaveLength(2);
    for (const name of names) {
      const text = readFileSync(join(folder, name), 'utf8');
      expect(text.match(/"type":"trace"/g)).toHaveLength(1);
      expect(text.match(/"kind":"run"/g)).toHaveLength(1);
    }
  });
});
