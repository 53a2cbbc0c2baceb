import { createAgent, textOf, type RunResult } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { memoryFiles } from '@shallot/core/files';
import { collectEvents, scriptedModel, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import memory, { type MemoryOptions } from './index.ts';

interface Edit {
  readonly path?: string;
  readonly old_text?: string;
  readonly new_text?: string;
}

function editing(...edits: readonly Edit[]): ScriptedStep {
  return { toolCalls: edits.map((args) => ({ name: 'edit_memory', args: { path: '/AGENTS.md', ...args } })) };
}

const done: ScriptedStep = { text: 'Noted.' };

async function bench(steps: readonly ScriptedStep[], files: Files, options: MemoryOptions = {}) {
  const model = scriptedModel(steps);
  const plugins = [memory({ writable: true, ...options })];
  const agent = await createAgent({ model, files, plugins, log: 'silent' });
  onTestFinished(() => agent.close());
  return { agent, model };
}

/** Returns the results of a run's tool calls. */
function results({ messages }: RunResult): string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
}

/** Returns the file after one edit. */
async function edited(text: string | undefined, edit: Edit, options?: MemoryOptions) {
  const files = memoryFiles();
  if (text !== undefined) await files.write('/AGENTS.md', text);
  const { agent } = await bench([editing(edit), done], files, options);
  const [said = ''] = results(await agent.run('Note it.'));
  const file = await files.readText('/AGENTS.md').catch(() => undefined);
  return { said, text: file?.text };
}

describe('Editing memory', () => {
  it.each([
    ['replaces a passage', 'One.\nTwo.\n', { old_text: 'Two', new_text: '$& {x} 2' }, 'One.\n$& {x} 2.\n'],
    ['removes a passage', 'One.\nTwo.\n', { old_text: 'Two.\n', new_text: '' }, 'One.\n'],
    ['adds to the end', 'One.\n', { new_text: 'Two.' }, 'One.\nTwo.\n'],
    ['adds to an end without a line break', 'One.', { new_text: 'Two.\n\n' }, 'One.\nTwo.\n'],
    ['makes a file', undefined, { new_text: 'One.' }, 'One.\n'],
    ['keeps line ends', 'One.\r\nTwo.\r\n', { old_text: 'One.\nTwo.', new_text: '1\n2' }, '1\r\n2\r\n'],
    ['keeps line ends when it adds', 'One.\r\n', { new_text: '2\n3' }, 'One.\r\n2\r\n3\r\n'],
    [
      'finds a passage whose lines end in two ways',
      'a\r\nb\nc\r\n',
      { old_text: 'b\nc', new_text: 'B\nC' },
      'a\r\nB\nC\r\n',
    ],
    [
      'finds one that begins within a line break',
      'a\r\nb\nc',
      { old_text: '\nb\nc', new_text: '\nB' },
      'a\r\nB',
    ],
    [
      'ends new lines as those around them',
      'a\nb\r\nc\n',
      { old_text: 'b', new_text: '1\n2' },
      'a\n1\r\n2\r\nc\n',
    ],
    ['adds as the last line ends', 'a\r\nb\n', { new_text: 'c\nd' }, 'a\r\nb\nc\nd\n'],
    ['keeps comments', '<!-- a -->One.', { old_text: 'One.', new_text: '1' }, '<!-- a -->1'],
  ])('%s', async (_, before, edit, after) => {
    expect(await edited(before, edit)).toEqual({ said: '/AGENTS.md is changed.', text: after });
  });

  it('keeps a byte order mark, at every edit', async () => {
    const files = memoryFiles();
    await files.write('/AGENTS.md', '\uFEFF# One\n');
    const edits = [editing({ old_text: '# One', new_text: '# 1' }), editing({ new_text: 'Two.' }), done];
    const { agent } = await bench(edits, files);
    expect(results(await agent.run('Note it.'))).toEqual([
      '/AGENTS.md is changed.',
      '/AGENTS.md is changed.',
    ]);
    const { bytes } = await files.read('/AGENTS.md');
    expect(Buffer.from(bytes).toString()).toBe('\uFEFF# 1\nTwo.\n');
  });

  it.each([
    ['what is not there', { old_text: 'Three', new_text: '3' }, /old_text does not occur in it/],
    ['what is there twice', { old_text: '.', new_text: '!' }, /old_text occurs more than once/],
    ['overlapping passages', { old_text: 'aa', new_text: 'b' }, /old_text occurs more than once/],
    ['empty text', { old_text: '', new_text: '3' }, /old_text is empty\. Leave it out/],
    ['text by itself', { old_text: 'One', new_text: 'One' }, /are the same/],
    ['nothing', { new_text: ' \n' }, /new_text is empty/],
    ['another file', { path: '/other.md', new_text: 'x' }, /path/],
    ['without a text', {}, /new_text/],
  ])('does not replace %s', async (_, edit, why) => {
    const before = 'One. Two. aaa';
    const { said, text } = await edited(before, edit);
    expect(said).toMatch(why);
    expect(text).toBe(before);
  });

  it('does not make a file larger than what is sent, but makes one smaller that is', async () => {
    const options = { maxBytes: 256 };
    const grown = await edited('x'.repeat(250), { new_text: 'y'.repeat(10) }, options);
    expect(grown.said).toMatch(
      /memory\/EDIT_REFUSED: .* it would then have 262 bytes, and at most 256 are sent/,
    );
    expect(grown.text).toBe('x'.repeat(250));
    const shrunk = await edited(`${'x'.repeat(500)}y`, { old_text: 'y', new_text: '' }, options);
    expect(shrunk.text).toBe('x'.repeat(500));
  });

  it.each(['password: hunter2', 'The key is sk-abcdefghijklmnop1234.', 'postgres://ada:pw123@host/db'])(
    'does not write down what looks like a credential: %s',
    async (secret) => {
      const { said, text } = await edited('One.', { new_text: `Two. ${secret}` });
      expect(said).toMatch(
        /memory\/EDIT_REFUSED: .* looks like a password, key or token\. Write where it is kept/,
      );
      expect(said).not.toContain(secret);
      expect(text).toBe('One.');
    },
  );

  it('does not write down what the agent holds secret', async () => {
    const files = memoryFiles();
    const agent = await createAgent({
      model: scriptedModel([editing({ new_text: 'It is under-the-flowerpot.' }), done]),
      files,
      plugins: [memory({ writable: true })],
      redact: { secrets: ['under-the-flowerpot'] },
      log: 'silent',
    });
    onTestFinished(() => agent.close());
    expect(results(await agent.run('Where is the key?'))).toEqual([
      expect.stringContaining('memory/EDIT_REFUSED'),
    ]);
    expect(await files.stat('/AGENTS.md')).toBeUndefined();
  });

  it('writes down where a credential is kept', async () => {
    const where = 'The API key for uploads is in the variable UPLOAD_KEY.';
    expect((await edited('One.', { new_text: where })).text).toBe(`One.\n${where}\n`);
  });

  it('is seen by the next model call, and by other sessions in their next run', async () => {
    const files = memoryFiles();
    const { agent, model } = await bench([done, editing({ new_text: 'Spanish.' }), done, done], files, {
      reload: 'changed',
    });
    await agent.run('Hi', { sessionId: 'other' });
    await agent.run('Answer in Spanish.', { sessionId: 's' });
    await agent.run('Hi', { sessionId: 'other' });
    const seen = model.requests.map(({ instructions }) => instructions.includes('/AGENTS.md\nSpanish.'));
    expect(seen).toEqual([false, false, true, true]);
    expect(model.requests[0]?.instructions).toContain(
      '<agent_memory>\n(Nothing is remembered yet.)\n</agent_memory>',
    );
    expect(model.requests[0]?.instructions).toContain('use the tool edit_memory');
  });

  it('is seen by the next model call also when files are loaded only once', async () => {
    const steps = [editing({ new_text: 'Spanish.' }), done];
    const { agent, model } = await bench(steps, memoryFiles(), { reload: 'once' });
    await agent.run('Answer in Spanish.');
    expect(model.requests[1]?.instructions).toContain('Spanish.');
  });

  it('shows what is in the file after an edit that failed', async () => {
    const files = memoryFiles();
    await files.write('/AGENTS.md', 'Old.');
    const changes: ScriptedStep = async () => {
      await files.write('/AGENTS.md', 'New.');
      return editing({ old_text: 'Old.', new_text: 'Mine.' });
    };
    const { agent, model } = await bench([changes, done], files);
    await agent.run('Note it.');
    expect(model.requests[1]?.instructions).toContain('/AGENTS.md\nNew.');
  });

  it('is said in an event and in the result, with run and call', async () => {
    const files = memoryFiles();
    const { agent } = await bench([editing({ new_text: 'A' }), done], files);
    const { events, result } = await collectEvents(agent.stream('Note it.'));
    const made = {
      runId: result?.runId,
      callId: 'call_1',
      path: '/AGENTS.md',
      from: null,
      to: (await files.stat('/AGENTS.md'))?.revision,
    };
    expect(events).toContainEqual({ type: 'plugin', plugin: 'memory', name: 'edited', data: made });
    expect(result?.messages.find(({ role }) => role === 'tool')).toMatchObject({ data: made });
  });

  it('is not offered unless it is asked for', async () => {
    const { agent, model } = await bench([done], memoryFiles(), { writable: false });
    await agent.run('Hi');
    expect(model.requests[0]?.tools).toBeUndefined();
  });
});

describe('Editing one file at once', () => {
  const count = 20;
  const lines = (who: string): string[] => Array.from({ length: count }, (_, at) => `${who} ${at}`);

  it('loses nothing of what parallel calls, sessions and agents add', async () => {
    const files = memoryFiles();
    const runs = ['a', 'b', 'c'].map(async (who) => {
      const all = lines(who).map((text) => ({ new_text: text }));
      const steps = [editing(...all.slice(0, 5)), ...all.slice(5).map((each) => editing(each)), done];
      const { agent } = await bench(steps, files);
      return results(await agent.run('Note it.', { sessionId: who }));
    });
    expect(new Set((await Promise.all(runs)).flat())).toEqual(new Set(['/AGENTS.md is changed.']));
    const { text } = await files.readText('/AGENTS.md');
    expect(text.trimEnd().split('\n').toSorted()).toEqual(['a', 'b', 'c'].flatMap(lines).toSorted());
  });

  it('gives up by name when others are always faster', async () => {
    const files = memoryFiles();
    const busy: Files = {
      ...files,
      async write(path, data, options) {
        await files.append(path, 'theirs\n');
        return files.write(path, data, options);
      },
    };
    const { agent } = await bench([editing({ new_text: 'mine' }), done], busy);
    expect(results(await agent.run('Note it.'))[0]).toMatch(
      /memory\/EDIT_CONFLICT: .*changed by others during 16 attempts/,
    );
    expect((await files.readText('/AGENTS.md')).text).toBe('theirs\n'.repeat(16));
  });
});

describe('Files that fail', () => {
  /** Files of which one call fails, and how many calls there were. */
  function failingAt(files: Files, nth: number): { readonly files: Files; calls: number } {
    const watched = { calls: 0, files };
    watched.files = new Proxy(files, {
      get(target, name: keyof Files) {
        // Optional methods that it lacks stay missing.
        const method = target[name] as ((...args: unknown[]) => unknown) | undefined;
        if (method === undefined) return undefined;
        return async (...args: unknown[]) => {
          watched.calls += 1;
          if (watched.calls === nth) throw new Error('the disk is on fire');
          return method.apply(target, args);
        };
      },
    });
    return watched;
  }

  it('at any call: the run says so with the path, or the model is told; nothing is written twice', async () => {
    const [before, after] = ['Old. @more.md\n', 'Old. @more.md\nNew.\n'];
    const changed = '/AGENTS.md is changed.';
    const failed =
      /memory file "\/(CLAUDE|AGENTS|more)\.md" could not be (read|written): the disk is on fire\./;
    const ends = new Set<string>();
    for (let nth = 1, isOver = false; !isOver; nth += 1) {
      const files = memoryFiles();
      await files.write('/AGENTS.md', before);
      await files.write('/more.md', 'More.');
      const failing = failingAt(files, nth);
      const { agent } = await bench([editing({ new_text: 'New.' }), done], failing.files);
      const said = await agent.run('Note it.').then((result) => results(result)[0] ?? '', String);
      isOver = failing.calls < nth;
      const hasFailed = said.startsWith('ShallotError');
      // A run that fails may do so after the edit: when the model would have been shown it.
      const expected = hasFailed ? [before, after] : [said === changed ? after : before];
      expect(expected).toContain((await files.readText('/AGENTS.md')).text);
      ends.add(
        hasFailed || said !== changed ? `${hasFailed ? 'run' : 'tool'} ${failed.exec(said)?.[2]}` : said,
      );
    }
    expect(ends).toEqual(new Set(['run read', 'tool read', 'tool written', changed]));
  });
});
