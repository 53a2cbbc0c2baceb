import { Readable } from 'node:stream';

import { describe, expect, it, vi } from 'vitest';

import { makeProject } from '../../test/project.ts';
import { lastLine, retrying, scripted, talking, weather, witness } from '../../test/scripted-project.ts';
import { plain } from '../../test/terminal.ts';

describe('shallot run, into a pipe', () => {
  it('says of a plugin that throws where it is listed, and where it threw', async () => {
    const project = makeProject(
      scripted(`[{ text: 'Done.' }]`, {
        'shallot.config.yaml': 'model: ./model.ts\nplugins:\n  - ./bad.ts\n',
        'bad.ts': witness.replace('await files.write', 'throw new Error(outcome); await files.write'),
      }),
    );
    const { status, stderr } = await project.here(['run', 'hello']);
    expect(stderr).toMatch(
      /PLUGIN_FAILED \[witness afterAgent\] shallot\.config\.yaml:3:5: .* threw: completed \(thrown at bad\.ts:6:\d+\)/,
    );
    expect(status).toBe(0);
  });

  it('writes exactly the final text and a newline to stdout, and what happened to stderr', async () => {
    const steps = `[
      { text: 'Let me look.', toolCalls: [{ name: 'weather', args: { city: 'Ghent' } }, { name: 'weather', args: { city: 'Atlantis' } }] },
      { text: 'It is sunny.' },
    ]`;
    const { status, stdout, stderr } = await makeProject(scripted(steps, weather)).here([
      'run',
      'How is it?',
    ]);
    expect(stdout).toBe('It is sunny.\n');
    expect(stderr.replace(/\d+\.\d s; session .*/, '0.0 s; session S')).toMatchInlineSnapshot(`
      "step 1
        Let me look.
      → weather {"city":"Ghent"}
      → weather {"city":"Atlantis"}
      ← weather 14 characters
      ✗ weather The tool weather failed: it is under water
      step 2
      completed: 2 steps, 2 tool calls, 0.0 s; session S
      "
    `);
    expect(status).toBe(0);
  });

  it.each([['run', 'Well?'], ['run', '--detach', 'Well?'], ['chat']])(
    'refuses an empty session by the name of the option: %s',
    async (...words) => {
      const project = makeProject(
        scripted(`[{ text: 'Yes.' }]`, { 'shallot.config.yaml': 'name: a\nmodel: ./model.ts\n' }),
      );
      const { status, stderr } = await project.here([...words, '--session', '']);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: 'error USAGE_INVALID: --session is empty; write the id of a session, or leave it out.\n',
      });
    },
  );

  it('says nothing on stderr with --quiet', async () => {
    const project = makeProject(scripted(`[{ text: 'Yes.' }]`));
    const { status, stdout, stderr } = await project.here(['run', '-q', 'Well?']);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'Yes.\n', stderr: '' });
  });

  it('writes only what is valid when the answer began anew', async () => {
    const { stdout } = await makeProject(retrying).here(['run', 'Well?']);
    expect(stdout).toBe('Second try.\n');
  });

  it.each([['-'], []])('reads the question from stdin (%j)', async (...args) => {
    const echo = `[({ messages }) => ({ text: JSON.stringify(messages[0].content) })]`;
    const project = makeProject(scripted(echo));
    const { stdout } = await project.here(['run', ...args.flat()], { stdin: 'Grüße?\nand more\n' });
    expect(JSON.parse(stdout)).toEqual([{ type: 'text', text: 'Grüße?\nand more' }]);
  });

  it('refuses an empty question', async () => {
    const { status, stdout, stderr } = await makeProject(scripted('[]')).here(['run'], { stdin: ' \n' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error USAGE_INVALID: The question on stdin is empty\./);
  });

  it('reports a model that fails by code, with status 1 and without a stack', async () => {
    const project = makeProject(scripted(`[{ error: new Error('no tea left') }]`));
    const { status, stdout, stderr } = await project.here(['run', '-q', 'Tea?']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^error MODEL_FAILED: .*no tea left/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  describe('whose answer is not whole', () => {
    const ending = (reason: string): string => `
      import { definePlugin } from '@shallot/core';
      export default definePlugin({
        name: 'ending',
        setup: ({ hooks }) => hooks.beforeModel.tap('x', (_, run) => run.end('Enough.', { reason: '${reason}' })),
      });`;
    const calling = `[{ text: 'Let me look.', toolCalls: [{ name: 'weather', args: { city: 'Ghent' } }] }]`;
    const config = weather['shallot.config.yaml'];
    const cases: [string, Record<string, string>, string, RegExp][] = [
      [
        'cut off',
        scripted(`[{ text: 'Tea is', finish: 'length' }]`),
        'Tea is\n',
        /^warning ANSWER_CUT_OFF: /,
      ],
      [
        'filtered',
        scripted(`[{ text: 'Tea is', finish: 'content-filter' }]`),
        'Tea is\n',
        /^warning ANSWER_FILTERED: /,
      ],
      [
        'missing at the last step',
        scripted(calling, { ...weather, 'shallot.config.yaml': `${config}maxSteps: 1\n` }),
        '',
        /^ {2}Let me look\.\nwarning MAX_STEPS: |^warning MAX_STEPS: /,
      ],
      [
        'that of a limit',
        scripted('[]', {
          'shallot.config.yaml': 'model: ./model.ts\nplugins: [./ending.ts]\n',
          'ending.ts': ending('limit'),
        }),
        'Enough.\n',
        /^warning the run was stopped by a limit after 1 step\n$/,
      ],
    ];
    it.each(cases)('ends with status 4 and a warning: %s', async (_, files, answer, warning) => {
      const { status, stdout, stderr } = await makeProject(files).here(['run', '-q', 'Tea?']);
      expect({ status, stdout }).toEqual({ status: 4, stdout: answer });
      expect(stderr).toMatch(warning);
    });

    it('which --json tells too, and a plugin that ends the run as it likes is no such case', async () => {
      const cut = await makeProject(scripted(`[{ text: 'Tea is', finish: 'length' }]`)).here([
        'run',
        '--json',
        'Tea?',
      ]);
      expect(cut.status).toBe(4);
      expect(lastLine(cut.stdout)).toMatchObject({ result: { stopReason: 'length', finish: 'length' } });
      const ended = makeProject(
        scripted('[]', {
          'shallot.config.yaml': 'model: ./model.ts\nplugins: [./ending.ts]\n',
          'ending.ts': ending('ended'),
        }),
      );
      expect(await ended.here(['run', '-q', 'Tea?'])).toEqual({ status: 0, stdout: 'Enough.\n', stderr: '' });
    });
  });

  it('shows the stack with --debug and with SHALLOT_DEBUG', async () => {
    const project = makeProject(scripted(`Array(2).fill({ error: new Error('no tea left') })`));
    const asked = await project.here(['run', '-q', '--debug', 'Tea?']);
    const always = await project.here(['run', '-q', 'Tea?'], { env: { SHALLOT_DEBUG: '1' } });
    for (const { stderr } of [asked, always]) expect(stderr).toMatch(/no tea left\n.*\n\s+at .*caused by /s);
  });
});

describe('shallot run --json', () => {
  it('writes every event as a line, from run-start to run-end', async () => {
    const steps = `[{ toolCalls: [{ name: 'weather', args: { city: 'Ghent' } }] }, { text: 'Sunny.' }]`;
    const { status, stdout, stderr } = await makeProject(scripted(steps, weather)).here([
      'run',
      '--json',
      'Well?',
    ]);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; result?: { text: string } });
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run-start', 'step-start', 'tool-start', 'tool-end', 'message', 'run-end']),
    );
    expect(events[0]?.type).toBe('run-start');
    expect(events.at(-1)).toMatchObject({
      type: 'run-end',
      result: { text: 'Sunny.', outcome: 'completed' },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('ends with an error event when the run fails, and when it cannot begin', async () => {
    const failing = makeProject(scripted(`[{ error: new Error('no tea left') }]`));
    const broken = makeProject({ 'shallot.config.yaml': 'model: ./nowhere.ts\n' });
    const failed = await failing.here(['run', '--json', 'Tea?']);
    const unstarted = await broken.here(['run', '--json', 'Tea?']);
    expect(failed.status).toBe(1);
    expect(lastLine(failed.stdout)).toMatchObject({ type: 'error', error: { code: 'MODEL_FAILED' } });
    expect(unstarted.status).toBe(2);
    expect(lastLine(unstarted.stdout)).toMatchObject({ type: 'error', error: { code: 'MODULE_NOT_FOUND' } });
  });
});

describe('what plugins say besides', () => {
  it('is told once: a warning of the run is no line of the log as well', async () => {
    const { stderr } = await makeProject(talking).here(['run', '-q', 'Well?']);
    expect(stderr.match(/the tea is late/g)).toHaveLength(1);
    expect(stderr.match(/the kettle is off/g)).toHaveLength(1);
    expect(stderr).toContain('warning [talk] talk/LATE: the tea is late\n');
    expect(stderr.match(/only logged/g)).toHaveLength(1);
  });
});

describe('a run that fails', () => {
  const failing = scripted(`[{ error: new Error('busy') }]`, {
    'shallot.config.yaml': 'model: ./model.ts\nplugins: [./again.ts, telemetry]\n',
    'again.ts': `
      import { definePlugin } from '@shallot/core';
      export default definePlugin({
        name: 'again',
        wrapModelCall(request, next, { run }) {
          run.log.warn({ event: 'retry', attempt: 1 }, 'model call is retried: tea is brewing');
          run.event('retry', { attempt: 1, error: 'tea is brewing' });
          return next(request);
        },
      });`,
  });

  it('is told once on stderr, and no event is a line of the log as well', async () => {
    const { status, stderr } = await makeProject(failing).here(['run', 'Well?']);
    expect(stderr.match(/busy/g)).toHaveLength(1);
    expect(stderr).toMatch(/^error MODEL_FAILED.*busy/m);
    expect(stderr.match(/tea is brewing/g)).toHaveLength(1);
    expect(stderr).not.toContain('"level"');
    expect(status).toBe(1);
  });

  it('is told once in a chat', async () => {
    const { stderr } = await makeProject(failing).here(['chat'], { stdin: 'Well?\n' });
    expect(stderr.match(/busy/g)).toHaveLength(1);
    expect(stderr.match(/tea is brewing/g)).toHaveLength(1);
  });

  it('stays in the log if stdout has JSON, and so does what --quiet leaves out', async () => {
    const json = await makeProject(failing).here(['run', '--json', 'Well?']);
    expect(json.stderr).toMatch(/"outcome":"failed".*busy/);
    expect(json.stderr).toContain('model call is retried: tea is brewing');
    const quiet = await makeProject(failing).here(['run', '--quiet', 'Well?']);
    expect(quiet.stderr.match(/busy/g)).toHaveLength(1);
    expect(quiet.stderr).toContain('model call is retried: tea is brewing');
  });
});

describe('sessions', () => {
  it('are listed on a line each, whatever their ids', async () => {
    const project = makeProject(scripted(`[{ text: 'Yes.' }]`));
    await project.here(['run', '-q', '-s', 'a\nb\tc', 'Well?']);
    expect((await project.here(['sessions'])).stdout).toMatch(/^a⟨U\+000A⟩b⟨U\+0009⟩c  completed .*\n$/);
  });

  it('that wait for answers end the command with status 3, and refuse another run unless it abandons', async () => {
    const asking = {
      'shallot.config.yaml': 'model: ./model.ts\ntools: [./ask.ts]\n',
      'ask.ts': `
        import { defineTool } from '@shallot/core';
        export const ask = defineTool({
          name: 'ask', description: 'Asks', input: { type: 'object' },
          async execute(_args, { interrupt }) {
            return interrupt({ kind: 'question', payload: 'Milk?', answer: { type: 'string' } });
          },
        });`,
    };
    const project = makeProject(
      scripted(
        `Array(2).fill(({ messages }) => messages.length === 1 ? { toolCalls: [{ name: 'ask' }] } : { text: 'So be it.' })`,
        asking,
      ),
    );
    const first = await project.here(['run', '-q', '-s', 'tea', 'Tea?']);
    expect({ status: first.status, stdout: first.stdout }).toEqual({ status: 3, stdout: '' });
    expect(first.stderr).toMatch(
      /^waiting Session tea waits for 1 answer; .*\nint_\S+ {2}question: ask \{\}\n {2}shallot answer int_/,
    );
    const second = await project.here(['run', '-q', '-s', 'tea', 'Now?']);
    expect(second.status).toBe(3);
    expect(second.stderr).toMatch(
      /^error SESSION_INTERRUPTED.*\nContinue it: shallot resume tea\nOr abandon it: run with --abandon/,
    );
    expect(await project.here(['run', '-q', '-s', 'tea', '--abandon', 'Now?'])).toMatchObject({
      status: 0,
      stdout: 'So be it.\n',
    });
  });
});

describe('shallot run, on a terminal', () => {
  it('shows the answer of a hook below that of the model, and the text of a result that is the answer', async () => {
    const guarded = scripted(`[{ text: 'It is sunny.' }]`, {
      'shallot.config.yaml': 'model: ./model.ts\nplugins: [./guard.ts]\n',
      'guard.ts': `
        import { definePlugin } from '@shallot/core';
        export default definePlugin({
          name: 'guard',
          setup: ({ hooks }) => hooks.afterModel.tap('x', (_, run) => run.end('I may not tell.')),
        });`,
    });
    const direct = scripted(
      `[{ text: 'Let me look.', toolCalls: [{ name: 'weather', args: { city: 'Ghent' } }] }]`,
      {
        ...weather,
        'weather.ts': weather['weather.ts'].replace(`effect: 'read'`, 'returnDirectly: true'),
      },
    );
    const shown = async (files: Record<string, string>): Promise<string> =>
      plain((await makeProject(files).onTerminal(['run', '-q', 'Well?']).ended).screen);
    expect(await shown(guarded)).toBe('It is sunny.\nI may not tell.\n');
    expect(await shown(direct)).toBe('Let me look.\nsunny in Ghent\n');
  });

  it('uses no colours with NO_COLOR', async () => {
    const { screen } = await makeProject(retrying).onTerminal(['run', 'Well?'], { env: { NO_COLOR: '1' } })
      .ended;
    expect(screen).not.toContain('\u001b[');
  });

  it('obeys no control characters of a model', async () => {
    const evil = scripted(`[{ text: 'before \\u001b]0;owned\\u0007\\u001b[2J after' }]`);
    const { screen } = await makeProject(evil).onTerminal(['run', '-q', 'Well?']).ended;
    expect(screen).toContain('before ]0;owned[2J after');
  });

  it('asks for a question instead of waiting for one', async () => {
    const { status, screen } = await makeProject(scripted('[]')).onTerminal(['run']).ended;
    expect(status).toBe(2);
    expect(plain(screen)).toContain(
      'error USAGE_INVALID: There is no question. Pass it as one quoted argument',
    );
  });
});

describe('a run that did not end well', () => {
  it('a failure on the way names the command that goes on, and resume --abandon gives the run up', async () => {
    const project = makeProject(scripted(`[{ error: new Error('overloaded') }]`));
    const failed = await project.here(['run', '-q', '-s', 'tea', 'Well?']);
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/^error MODEL_FAILED.*\nContinue it: shallot resume tea\n$/s);
    expect(await project.here(['resume', 'tea', '--abandon'])).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'The run of session tea was abandoned.\n',
    });
    const { stderr } = await project.here(['resume', 'tea']);
    expect(stderr).toContain('SESSION_NOT_RESUMABLE');
  });

  it('a signal while the question is awaited ends it too', async () => {
    const before = process.listenerCount('SIGHUP');
    const silence = new Readable({ read: () => undefined });
    const ended = makeProject(scripted('[]')).here(['run', '-'], { stdin: silence });
    await vi.waitUntil(() => process.listenerCount('SIGHUP') > before, { timeout: 20_000 });
    process.emit('SIGHUP', 'SIGHUP');
    expect(await ended).toMatchObject({
      status: 129,
      stdout: '',
      stderr: expect.stringMatching(/aborted\n$/) as string,
    });
  });
});

describe('shallot run --input-stream', () => {
  it('needs --json, and the question as an argument', async () => {
    const project = makeProject(scripted('[]'));
    expect(await project.here(['run', '--input-stream', 'Go'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--input-stream needs --json') as unknown,
    });
    expect(await project.here(['run', '--json', '--input-stream'])).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('Pass the question as an argument') as unknown,
    });
  });
});
