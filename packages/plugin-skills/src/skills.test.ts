import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type AgentEvent, definePlugin, type Plugin, removeTools } from '@shallot/core';
import { diskFiles, memoryFiles } from '@shallot/core/files';
import { isLasting } from '@shallot/core/plugin';
import { collectEvents, testPlugin } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import { bench, filesWith, reads, resultsIn, skillFile } from '../test/bench.ts';
import skills from './index.ts';

await testPlugin(skills, {
  secondOptions: { toolName: 'other_skill' },
  manifest: new URL('../package.json', import.meta.url),
});

function told(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'warning') return [`${event.code}: ${event.message}`];
    return event.type === 'plugin' ? [`${event.name} ${JSON.stringify(event.data)}`] : [];
  });
}

describe('the list of skills', () => {
  it('has name, description and path of each, and nothing of its text', async () => {
    const files = await filesWith({
      '/ours/pdf/SKILL.md': skillFile('pdf', { body: 'the secret of PDF' }),
      '/mine/csv/SKILL.md': skillFile('csv', { description: '"Tables" & <lists>' }),
    });
    const { agent, model } = await bench(files, [], {
      options: { sources: ['ours', './mine/'] },
      instructions: 'Be brief.',
    });
    await agent.run('Hi');
    expect(model.requests[0]?.instructions).toMatchInlineSnapshot(`
      "Be brief.

      Skills are instructions for certain kinds of work. When a task fits the description of a skill, read the skill with the tool \`skill\` before you begin, and follow it. What stands here are only descriptions.

      Skills are from, the later over the earlier: /ours, /mine

      <available_skills>
      <skill>
      <name>csv</name>
      <description>&quot;Tables&quot; &amp; &lt;lists&gt;</description>
      <path>/mine/csv/SKILL.md</path>
      </skill>
      <skill>
      <name>pdf</name>
      <description>Does pdf.</description>
      <path>/ours/pdf/SKILL.md</path>
      </skill>
      </available_skills>"
    `);
    expect(model.requests[0]?.tools?.[0]?.inputSchema).toMatchObject({
      properties: { name: { enum: ['csv', 'pdf'] } },
    });
  });

  it('is not there without skills, nor is the tool', async () => {
    const { agent, model } = await bench(memoryFiles(), [], { instructions: 'Be brief.' });
    const { events } = await collectEvents(agent.stream('Hi'));
    expect(model.requests[0]?.instructions).toBe('Be brief.');
    expect(model.requests[0]).not.toHaveProperty('tools');
    expect(told(events)).toEqual([]);
  });

  it('is missed where a source that was named has none', async () => {
    const { agent } = await bench(memoryFiles(), [], { options: { sources: ['/team'] } });
    const { events } = await collectEvents(agent.stream('Hi'));
    expect(told(events)).toEqual([
      expect.stringMatching(/^skills\/SKIPPED: \/team is skipped: it contains no skill/),
    ]);
  });

  it('is not sent with a model call that another plugin makes for itself', async () => {
    const summarizes = definePlugin({
      name: 'summarizes',
      setup({ hooks, generate }) {
        hooks.beforeModel.tapPromise('sum up', async (request, run) => {
          // With the tools of the agent, so that nothing but the kind of call keeps the list out.
          const asked = { ...request, instructions: 'Sum up.' };
          await generate(run, asked, { purpose: 'summarization' });
        });
      },
    })();
    const files = await filesWith({ '/skills/pdf/SKILL.md': skillFile('pdf') });
    const { agent, model } = await bench(files, [{ text: 'A summary.' }], { plugins: [summarizes] });
    await agent.run('Hi');
    const [own, main] = model.requests.map(({ instructions }) => instructions);
    expect(own).toBe('Sum up.');
    expect(main).toContain('<name>pdf</name>');
  });

  it('is not there when another plugin hides the tool', async () => {
    const files = await filesWith({ '/skills/pdf/SKILL.md': skillFile('pdf') });
    const { agent, model } = await bench(files, [], { plugins: [removeTools(['skill'])] });
    await agent.run('Hi');
    expect(model.requests[0]?.instructions).toBe('');
  });

  it("is not in other plugins' own model calls, nor in the history", async () => {
    const files = await filesWith({ '/skills/pdf/SKILL.md': skillFile('pdf') });
    const asks: Plugin = definePlugin({
      name: 'asks',
      setup({ hooks, generate }) {
        hooks.beforeModel.tapPromise('ask', async (_, run) => {
          await generate(run, { messages: run.messages }, { purpose: 'summarization' });
        });
      },
    })();
    const { agent, model, store } = await bench(files, [], { plugins: [asks] });
    await agent.run('Hi', { sessionId: 's' });
    expect(model.requests.map(({ instructions }) => instructions.includes('pdf'))).toEqual([false, true]);
    expect(model.requests[0]?.tools).toBeUndefined();
    expect(JSON.stringify((await store.load('s'))?.messages)).not.toContain('available_skills');
  });

  it('gives descriptions an equal share when it is too long, and says so', async () => {
    const contents = Array.from({ length: 50 }, (_, index) => [
      `/skills/s${index}/SKILL.md`,
      skillFile(`s${index}`, { description: '😀'.repeat(400) }),
    ]);
    const files = await filesWith(Object.fromEntries(contents) as Record<string, string>);
    const { agent, model } = await bench(files, [], { options: { maxListChars: 10_000 } });
    const { events } = await collectEvents(agent.stream('Hi'));
    const { instructions = '' } = model.requests[0] ?? {};
    expect(instructions.length).toBeLessThanOrEqual(10_000);
    expect(instructions.match(/<skill name=/g)).toHaveLength(50);
    expect(instructions.isWellFormed()).toBe(true);
    expect(told(events)).toEqual([expect.stringContaining('skills/LIST_CUT')]);
  });

  it.each([
    [
      'some descriptions',
      6_000,
      /cut to 16 characters, and 173 skills have none/,
      173,
      '<skill name="s0">Does s0.</skill>',
    ],
    ['names only', 5_500, 'only their names are listed', 200, ''],
    [
      'as many names as fit',
      2_000,
      /only names are listed, and \d+ skills are not listed/,
      80,
      '… and 120 more',
    ],
  ])('keeps to its limit with very many skills: %s', async (_, maxListChars, said, named, more) => {
    const contents = Array.from({ length: 200 }, (_each, index) => [
      `/skills/s${index}/SKILL.md`,
      skillFile(`s${index}`),
    ]);
    const files = await filesWith(Object.fromEntries(contents) as Record<string, string>);
    const calls = [{ toolCalls: [{ name: 'skill', args: { name: 's99' } }] }];
    const { agent, model } = await bench(files, calls, { options: { maxListChars } });
    const { events, result } = await collectEvents(agent.stream('Hi'));
    const { instructions = '' } = model.requests[0] ?? {};
    expect(instructions.length).toBeLessThanOrEqual(maxListChars);
    expect(instructions.match(/<skill>s\d+<\/skill>/g)).toHaveLength(named);
    expect(instructions).toContain(more);
    expect(told(events)).toEqual([expect.stringMatching(said)]);
    // Skills that are not listed can still be read.
    expect(JSON.stringify(result?.messages)).toContain('<skill name=\\"s99\\"');
  });
});

describe('what is wrong with skills', () => {
  it('is told once in a session, and again when it is something else', async () => {
    const files = await filesWith({
      '/a/pdf/SKILL.md': skillFile('pdf'),
      '/b/acrobat/SKILL.md': skillFile('pdf'),
      '/b/broken/SKILL.md': '---\n- name\n---\n',
    });
    const { agent } = await bench(files, [], { options: { sources: ['/a', '/b'] } });
    const run = async (sessionId: string) =>
      told((await collectEvents(agent.stream('Hi', { sessionId }))).events);
    const first = await run('s');
    expect(first).toEqual([
      'shadowed {"name":"pdf","path":"/a/pdf/SKILL.md","by":"/b/acrobat/SKILL.md"}',
      'skills/ODD: /b/acrobat/SKILL.md: it is named "pdf", but its directory is "acrobat".',
      expect.stringMatching(
        /^skills\/SKIPPED: \/b\/broken\/SKILL.md is skipped: its front matter is invalid/,
      ),
    ]);
    expect(await run('s')).toEqual([]);
    expect(await run('other')).toEqual(first);
    await files.remove('/b/broken/SKILL.md');
    expect(await run('s')).toEqual(first.slice(0, 2));
  });

  it('is told of twenty, and of how many more there are', async () => {
    const contents = Array.from({ length: 25 }, (_, index) => [`/skills/s${index}/SKILL.md`, 'no skill']);
    const { agent } = await bench(await filesWith(Object.fromEntries(contents) as Record<string, string>));
    const { events } = await collectEvents(agent.stream('Hi'));
    expect(told(events)).toHaveLength(21);
    expect(told(events).at(-1)).toContain('skills/MORE: 5 more');
  });
});

describe('looking for skills', () => {
  it('is done once a run, and finds what has changed', async () => {
    const files = await filesWith({ '/skills/pdf/SKILL.md': skillFile('pdf') });
    let looks = 0;
    const watched = {
      ...files,
      list: (...args: Parameters<typeof files.list>) => {
        looks += 1;
        return files.list(...args);
      },
    };
    const { agent, model } = await bench(watched, [reads('pdf'), reads('pdf')]);
    looks = 0;
    await agent.run('Hi', { sessionId: 's' });
    // The three usual sources, the skill's directory, and for each reading the skill's other files.
    expect(looks).toBe(6);
    await files.write('/skills/csv/SKILL.md', skillFile('csv'));
    await agent.run('Hi', { sessionId: 's' });
    expect(model.requests.at(-1)?.instructions).toContain('<name>csv</name>');
  });

  it('goes to the usual places; agent.plugins says which are there, and a skill in two is the one of ours', async () => {
    const files = await filesWith({
      '/.claude/skills/pdf/SKILL.md': skillFile('pdf').replace('Does', 'Once did'),
      '/.claude/skills/csv/SKILL.md': skillFile('csv'),
      '/.agents/skills/pdf/SKILL.md': skillFile('pdf'),
    });
    const { agent, model } = await bench(files, []);
    expect(agent.plugins[0]?.status).toEqual(['from /.claude/skills, /.agents/skills']);
    const { events } = await collectEvents(agent.stream('Hi'));
    const { instructions = '' } = model.requests[0] ?? {};
    expect(instructions).toContain('the later over the earlier: /.claude/skills, /.agents/skills\n');
    expect(instructions).toContain('/.agents/skills/pdf/SKILL.md');
    expect(instructions).toContain('<name>csv</name>');
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
  });

  it('is done once for all with reload: once', async () => {
    const files = await filesWith({ '/skills/pdf/SKILL.md': skillFile('pdf') });
    const { agent, model } = await bench(files, [], { options: { reload: 'once' } });
    await agent.run('Hi');
    await files.write('/skills/csv/SKILL.md', skillFile('csv'));
    await agent.run('Hi');
    expect(model.requests.at(-1)?.instructions).not.toContain('csv');
  });

  it('is done in the files of each run', async () => {
    const byUser: Record<string, Awaited<ReturnType<typeof filesWith>>> = {
      ann: await filesWith({ '/skills/pdf/SKILL.md': skillFile('pdf') }),
      bob: await filesWith({ '/skills/csv/SKILL.md': skillFile('csv') }),
    };
    const { agent, model } = await bench(memoryFiles(), [], {
      files: ({ context }) => byUser[String(context)] ?? memoryFiles(),
    });
    await Promise.all([agent.run('Hi', { context: 'ann' }), agent.run('Hi', { context: 'bob' })]);
    const named = model.requests.map(
      ({ instructions }) => /<name>(.*)<\/name>/.exec(instructions)?.[1] ?? '',
    );
    expect(new Set(named)).toEqual(new Set(['csv', 'pdf']));
  });
});

describe('the tool', () => {
  const contents = {
    '/skills/pdf/SKILL.md': skillFile('pdf', { body: 'Read forms.md first.' }),
    '/skills/pdf/forms.md': '# Forms',
    '/skills/pdf/scripts/fill.py': 'print()',
    '/skills/pdf/scripts/__pycache__/fill.pyc': 'x',
    '/skills/pdf/logo.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]),
    '/skills/empty/SKILL.md': skillFile('empty', { body: '' }),
    '/secret.txt': 'secret',
  };

  async function answers(
    ...calls: readonly (string | Readonly<Record<string, unknown>>)[]
  ): Promise<string[]> {
    const { agent, model } = await bench(await filesWith(contents), [reads(...calls)]);
    await agent.run('Hi');
    return resultsIn(model.requests[1]?.messages);
  }

  it('gives the text of a skill without its front matter, and lists its other files', async () => {
    expect(await answers('pdf', 'empty')).toEqual([
      '<skill name="pdf" path="/skills/pdf/SKILL.md">\nRead forms.md first.\n</skill>\n\n' +
        'Other files of this skill, in /skills/pdf:\n- forms.md\n- logo.png\n- scripts/fill.py',
      '<skill name="empty" path="/skills/empty/SKILL.md">\n\n</skill>',
    ]);
  });

  it('marks the text of a skill as one that stays in force, and nothing else', async () => {
    const { agent, model } = await bench(await filesWith(contents), [
      reads('pdf', { name: 'pdf', file: 'forms.md' }, 'none'),
    ]);
    await agent.run('Hi');
    const results = model.requests[1]?.messages.filter((message) => message.role === 'tool') ?? [];
    expect(results.map((result) => isLasting(result))).toEqual([true, false, false]);
  });

  it('reads files of a skill, and says what is no text or not there', async () => {
    const [forms, dotted, logo, none, directory] = await answers(
      { name: 'pdf', file: 'forms.md' },
      { name: 'pdf', file: './scripts/fill.py' },
      { name: 'pdf', file: 'logo.png' },
      { name: 'pdf', file: 'none.md' },
      { name: 'pdf', file: 'scripts' },
    );
    expect(forms).toBe('<file path="/skills/pdf/forms.md">\n# Forms\n</file>');
    expect(dotted).toContain('print()');
    expect(logo).toBe(
      '/skills/pdf/logo.png is not a text file: it is binary, with 7 bytes. Use it by its path.',
    );
    expect(none).toContain('no file "/skills/pdf/none.md"');
    expect(directory).toContain('a directory');
  });

  it.each([
    '../../secret.txt',
    '/../../secret.txt',
    'scripts/../../../secret.txt',
    '..',
    'a\0b',
    '../pdf2/x',
  ])('reads nothing outside of a skill: %j', async (file) => {
    const [answer = ''] = await answers({ name: 'pdf', file });
    expect(answer).not.toContain('<file');
    expect(answer).toMatch(/path|file/);
  });

  it('follows no link out of the skill, also to where the agent may read', async () => {
    const root = mkdtempSync(join(tmpdir(), 'shallot-skills-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, 'skills/pdf'), { recursive: true });
    writeFileSync(join(root, 'skills/pdf/SKILL.md'), skillFile('pdf'));
    writeFileSync(join(root, '.env'), 'KEY=1');
    symlinkSync('../../.env', join(root, 'skills/pdf/notes.md'));
    symlinkSync('../..', join(root, 'skills/pdf/up'));
    const step = reads({ name: 'pdf', file: 'notes.md' }, { name: 'pdf', file: 'up/.env' });
    const { agent, model } = await bench(diskFiles(root), [step]);
    await agent.run('Hi');
    const results = resultsIn(model.requests[1]?.messages);
    expect(results).toHaveLength(2);
    for (const result of results) expect(result).toContain('follows a link out of "/skills/pdf"');
  });

  it('names two hundred files and how many more there are, but none that is hidden or left by tools', async () => {
    const names = Array.from({ length: 205 }, (_, index) => `data/${String(index).padStart(3, '0')}.txt`);
    const left = ['.env', '.git/config', 'node_modules/a/index.js', 'data/__pycache__/a.pyc'];
    const others = [...names, ...left].map((name) => [`/skills/pdf/${name}`, 'x']);
    const files = await filesWith({
      '/skills/pdf/SKILL.md': skillFile('pdf'),
      ...(Object.fromEntries(others) as Record<string, string>),
    });
    const { agent, model } = await bench(files, [reads('pdf')]);
    await agent.run('Hi');
    const [, list = ''] = (resultsIn(model.requests[1]?.messages)[0] ?? '').split('/skills/pdf:\n');
    expect(list.split('\n')).toEqual([...names.slice(0, 200).map((name) => `- ${name}`), '- … and 5 more']);
  });

  it('reads no file of more than 10 MB', async () => {
    const files = await filesWith({
      '/skills/pdf/SKILL.md': skillFile('pdf'),
      '/skills/pdf/log.txt': 'x'.repeat(10 * 1024 * 1024 + 1),
    });
    const { agent, model } = await bench(files, [reads({ name: 'pdf', file: 'log.txt' })]);
    await agent.run('Hi');
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      '/skills/pdf/log.txt has 10485761 bytes; files of more than 10485760 are not read.',
    ]);
  });

  it('and the list let no name or path end the element that it stands in', async () => {
    const name = 'a"></skill><b>';
    const files = await filesWith({
      '/<s>/a/SKILL.md': skillFile(name),
      '/<s>/a/"><c>.md': 'x',
    });
    const step = reads({ name }, { name, file: '"><c>.md' });
    const { agent, model } = await bench(files, [step], { options: { sources: ['/<s>'] } });
    await agent.run('Hi');
    const [text, file] = resultsIn(model.requests[1]?.messages);
    expect(text).toMatch(
      /^<skill name="a&quot;&gt;&lt;\/skill&gt;&lt;b&gt;" path="\/&lt;s&gt;\/a\/SKILL\.md">\n/,
    );
    expect(file).toMatch(/^<file path="\/&lt;s&gt;\/a\/&quot;&gt;&lt;c&gt;\.md">\n/);
    expect(model.requests[0]?.instructions).toContain('the later over the earlier: /&lt;s&gt;\n');
    expect(model.requests[0]?.instructions).toContain('<path>/&lt;s&gt;/a/SKILL.md</path>');
  });

  it('gives long texts in pieces that make the whole', async () => {
    const body = '😀 layer\n'.repeat(400).trim();
    const files = await filesWith({ '/skills/pdf/SKILL.md': skillFile('pdf', { body }) });
    const { agent, model } = await bench(
      files,
      [
        reads('pdf'),
        ({ messages }) => next(messages),
        ({ messages }) => next(messages),
        ({ messages }) => next(messages),
      ],
      { options: { maxReadChars: 1001 } },
    );
    function next(messages: readonly { readonly role: string }[]) {
      const offset = Number(/offset (\d+)/.exec(resultsIn(messages).at(-1) ?? '')?.[1]);
      return Number.isNaN(offset) ? { text: 'Read.' } : reads({ name: 'pdf', offset });
    }
    await agent.run('Hi');
    const pieces = resultsIn(model.requests.at(-1)?.messages).map(
      (text) => /">\n(.*)\n<\/skill>/s.exec(text)?.[1] ?? '',
    );
    expect(pieces.join('')).toBe(body);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces).toHaveLength(4);
  });

  it('refuses a name that is no skill, and says which there are', async () => {
    const [answer] = await answers('pfd');
    expect(answer).toMatch(/not valid:\nname: .*"empty","pdf"/);
  });

  it('says when a skill is gone or broken since it was listed', async () => {
    const files = await filesWith({
      '/skills/pdf/SKILL.md': skillFile('pdf'),
      '/skills/csv/SKILL.md': skillFile('csv'),
    });
    const { agent, model } = await bench(files, [
      async () => {
        await files.remove('/skills/pdf/SKILL.md');
        await files.write('/skills/csv/SKILL.md', 'no skill');
        return reads('pdf', 'csv');
      },
    ]);
    expect(await agent.run('Hi')).toMatchObject({ outcome: 'completed' });
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      expect.stringContaining('no file "/skills/pdf/SKILL.md"'),
      expect.stringContaining('front matter'),
    ]);
  });

  it('may have another name, so that there can be two of the plugin', async () => {
    const files = await filesWith({
      '/a/pdf/SKILL.md': skillFile('pdf'),
      '/b/csv/SKILL.md': skillFile('csv'),
    });
    const second = { use: skills({ sources: ['/b'], toolName: 'team_skill' }), id: 'team' };
    const step = {
      toolCalls: [
        { name: 'team_skill', args: { name: 'csv' } },
        { name: 'skill', args: { name: 'pdf' } },
      ],
    };
    const { agent, model } = await bench(files, [step], { options: { sources: ['/a'] }, plugins: [second] });
    await agent.run('Hi');
    const [csv, pdf] = resultsIn(model.requests[1]?.messages);
    expect(csv).toContain('/b/csv/SKILL.md');
    expect(pdf).toContain('/a/pdf/SKILL.md');
  });
});

describe('a run that goes on elsewhere', () => {
  const asksFirst: Plugin = definePlugin({
    name: 'asks-first',
    setup({ hooks }) {
      hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
        await scope.interrupt({ kind: 'may-i', payload: call.name, answer: { type: 'boolean' } });
        return next(call);
      });
    },
  })();

  it.each([true, false])('reads skills as they are there (there: %s)', async (isThere) => {
    const files = await filesWith({ '/skills/pdf/SKILL.md': skillFile('pdf') });
    const first = await bench(files, [reads('pdf')], { plugins: [asksFirst] });
    const { interrupts } = await first.agent.run('Hi', { sessionId: 's' });
    await first.agent.close();
    if (!isThere) await files.remove('/skills/pdf/SKILL.md');
    const second = await bench(files, [], { plugins: [asksFirst], store: first.store });
    await second.agent.resume('s', { [interrupts[0]?.id ?? '']: true });
    const [answer] = resultsIn(second.model.requests[0]?.messages);
    expect(answer).toContain(isThere ? '# How to pdf' : 'There is no skill "pdf". The skills are: none.');
  });

  it('and one that began before the plugin was there have the tool', async () => {
    const files = await filesWith({ '/skills/pdf/SKILL.md': skillFile('pdf') });
    const { agent, model } = await bench(files, [
      async () => {
        await agent.use(skills({ toolName: 'late_skill' }), { id: 'late' });
        return reads('pdf');
      },
      { toolCalls: [{ name: 'late_skill', args: { name: 'pdf' } }] },
    ]);
    await agent.run('Hi');
    expect(resultsIn(model.requests[2]?.messages).at(-1)).toContain('# How to pdf');
  });
});

describe('options', () => {
  it.each<readonly [string, unknown, string]>([
    ['no sources', { sources: [] }, 'sources'],
    ['a source that is none', { sources: [''] }, 'sources.0'],
    ['an unknown one', { source: ['/skills'] }, 'sources'],
    ['a tool name that providers refuse', { toolName: 'read skill' }, 'toolName'],
  ])('with %s are refused', async (_, options, said) => {
    await expect(bench(memoryFiles(), [], { options: options as object })).rejects.toMatchObject({
      code: 'PLUGIN_OPTIONS',
      message: expect.stringContaining(said) as string,
    });
  });
});
