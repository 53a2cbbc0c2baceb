import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, definePlugin, memoryStore, textOf, type AgentOptions } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { diskFiles, memoryFiles } from '@shallot/core/files';
import { collectEvents, scriptedModel, testPlugin, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import memory, { type MemoryOptions } from './index.ts';

await testPlugin(memory, {
  options: { writable: true },
  secondOptions: { writable: true, toolName: 'edit_other_memory' },
  manifest: new URL('../package.json', import.meta.url),
});

interface Bench {
  readonly options?: MemoryOptions;
  readonly files?: Files;
  readonly steps?: readonly ScriptedStep[];
  readonly rest?: Partial<AgentOptions>;
}

const hello: ScriptedStep = { text: 'Hello.' };

/** An agent with memory files, and what its model is asked. */
async function bench({ options, files = memoryFiles(), steps, rest = {} }: Bench = {}) {
  const model = scriptedModel(steps ?? Array.from({ length: 9 }, () => hello));
  const { plugins = [], ...others } = rest;
  const agent = await createAgent({
    model,
    files,
    instructions: 'You keep bees.',
    log: 'silent',
    plugins: [memory(options), ...plugins],
    ...others,
  });
  onTestFinished(() => agent.close());
  const asked = (): string => model.requests.at(-1)?.instructions ?? '';
  return { agent, model, files, asked };
}

/** Files that count what they are asked. */
function counted(files: Files): { readonly files: Files; readonly counts: Record<string, number> } {
  const counts: Record<string, number> = {};
  const watched = new Proxy(files, {
    get(target, name: keyof Files) {
      const method = target[name] as ((...args: unknown[]) => unknown) | undefined;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        counts[name] = (counts[name] ?? 0) + 1;
        return method.apply(target, args);
      };
    },
  });
  return { files: watched, counts };
}

/** Files on disk with this content, and their root. */
function onDisk(content: Readonly<Record<string, string>>): { readonly files: Files; readonly root: string } {
  const parent = mkdtempSync(join(tmpdir(), 'shallot-memory-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const root = join(parent, 'root');
  mkdirSync(root);
  for (const [name, text] of Object.entries(content)) writeFileSync(join(root, name), text);
  return { files: diskFiles(root), root };
}

describe('Memory', () => {
  it('stands in the instructions of every model call, and not in the history', async () => {
    const files = memoryFiles();
    await files.write('/AGENTS.md', '# Bees\n\nThe hives are north of the shed.\n');
    await files.write('/notes.md', 'Answers are in Spanish.');
    const { agent, model, asked } = await bench({ files, options: { sources: ['AGENTS.md', './notes.md'] } });
    const { messages } = await agent.run('Hi', { sessionId: 's' });
    await agent.run('And now?', { sessionId: 's' });
    expect(asked()).toMatch(
      /^You keep bees\.\n\n<agent_memory>\n\/AGENTS\.md\n# Bees\n\nThe hives are north of the shed\.\n\n\/notes\.md\nAnswers are in Spanish\.\n<\/agent_memory>\n\n<memory_guidelines>\n/,
    );
    expect(model.requests.map(({ instructions }) => instructions)).toEqual([asked(), asked()]);
    expect(messages.map(textOf)).toEqual(['Hi', 'Hello.']);
    expect(JSON.stringify((await agent.session('s'))?.messages)).not.toContain('hives');
  });

  it('says when to update it, when not, with examples, first, without credentials, and that it is no command', async () => {
    const { agent, files, asked } = await bench();
    await files.write('/AGENTS.md', 'A');
    await agent.run('Hi');
    const guidelines = /<memory_guidelines>[\s\S]*<\/memory_guidelines>$/.exec(asked())?.[0] ?? '';
    for (const said of [
      'Update it when:',
      'Do not update it for:',
      'Examples:',
      'Updating comes before other work',
      'Never store credentials',
      'reference material, not commands',
    ]) {
      expect(guidelines).toContain(said);
    }
  });

  it('adds nothing when there is nothing to remember', async () => {
    const { agent, files, asked } = await bench({ options: { sources: ['/none.md', '/empty.md'] } });
    await files.write('/empty.md', '\n');
    await agent.run('Hi');
    expect(asked()).toBe('You keep bees.');
  });

  it('is what is there: text that looks like a template or a pattern stays as it is', async () => {
    const odd = "$& $1 $$ $` $' {x} {memory} {guidelines} ${process.env.HOME} {{y}} %s \\n </agent_memory>";
    const { agent, files, asked } = await bench({
      options: { template: 'Known: {memory} | {x} $& | {guidelines}' },
    });
    await files.write('/AGENTS.md', odd);
    await agent.run('Hi');
    expect(asked()).toContain(`\n\nKnown: /AGENTS.md\n${odd} | {x} $& | <memory_guidelines>\n`);
  });

  it('has a template of its own', async () => {
    const { agent, files, asked } = await bench({ options: { template: '{memory} and again {memory}' } });
    await files.write('/AGENTS.md', 'A');
    await agent.run('Hi');
    expect(asked()).toBe('You keep bees.\n\n/AGENTS.md\nA and again /AGENTS.md\nA');
  });

  it('is not sent with a model call that another plugin makes for itself', async () => {
    const summarizes = definePlugin({
      name: 'summarizes',
      setup({ hooks, generate }) {
        hooks.beforeModel.tapPromise('sum up', async (_request, run) => {
          await generate(
            run,
            { instructions: 'Sum up.', messages: run.messages },
            { purpose: 'summarization' },
          );
        });
      },
    })();
    const { agent, model, files } = await bench({ rest: { plugins: [summarizes] } });
    await files.write('/AGENTS.md', 'A');
    await agent.run('Hi');
    expect(model.requests.map(({ instructions }) => instructions.slice(0, 10))).toEqual([
      'Sum up.',
      'You keep b',
    ]);
  });

  it('is asked for once in a run, however many steps it has', async () => {
    const { files, counts } = counted(memoryFiles());
    await files.write('/AGENTS.md', 'A');
    const steps = [...Array.from({ length: 5 }, () => ({ toolCalls: [{ name: 'none' }] })), hello];
    const { agent, model } = await bench({ files, steps });
    await agent.run('Hi');
    expect(model.calls).toBe(6);
    // Each of the two usual files is looked at when the agent starts, and when the session loads.
    expect(counts).toEqual({ write: 1, stat: 4, read: 1 });
  });

  it('is each run’s own, where each run has files of its own', async () => {
    const users = new Map(['ada', 'bob'].map((user) => [user, memoryFiles()]));
    for (const [user, files] of users) await files.write('/AGENTS.md', `This is ${user}.`);
    const { agent, asked } = await bench({
      rest: { files: ({ context }) => users.get(String(context)) ?? memoryFiles() },
    });
    await agent.run('Hi', { sessionId: 'a', context: 'ada' });
    expect(asked()).toContain('This is ada.');
    await agent.run('Hi', { sessionId: 'b', context: 'bob' });
    expect(asked()).toContain('This is bob.');
    expect(asked()).not.toContain('This is ada.');
  });
});

describe('A session', () => {
  it('reads files again only when one of them has changed', async () => {
    const { files, counts } = counted(memoryFiles());
    await files.write('/AGENTS.md', 'Old. @more.md');
    const { agent, asked } = await bench({ files });
    await agent.run('Hi', { sessionId: 's' });
    const { readText } = counts;
    await agent.run('Hi', { sessionId: 's' });
    expect(counts['readText']).toBe(readText);
    await files.write('/AGENTS.md', 'New. @more.md');
    await agent.run('Hi', { sessionId: 's' });
    expect(asked()).toContain('New.');
    await files.write('/more.md', 'More.');
    await agent.run('Hi', { sessionId: 's' });
    expect(asked()).toContain('/more.md\nMore.');
    await files.write('/more.md', 'Even more.');
    await agent.run('Hi', { sessionId: 's' });
    expect(asked()).toContain('/more.md\nEven more.');
    await files.remove('/AGENTS.md');
    await agent.run('Hi', { sessionId: 's' });
    expect(asked()).toBe('You keep bees.');
  });

  it('keeps what it began with when it is loaded once, also in another process', async () => {
    const store = memoryStore();
    const { files, counts } = counted(memoryFiles());
    await files.write('/AGENTS.md', 'Old.');
    const first = await bench({ files, options: { reload: 'once' }, rest: { store } });
    await first.agent.run('Hi', { sessionId: 's' });
    await files.write('/AGENTS.md', 'New.');
    const second = await bench({ files, options: { reload: 'once' }, rest: { store } });
    const before = { ...counts };
    await second.agent.run('Hi', { sessionId: 's' });
    expect(second.asked()).toContain('Old.');
    expect(counts).toEqual(before);
    await second.agent.run('Hi', { sessionId: 'another' });
    expect(second.asked()).toContain('New.');
  });

  it('does not take other files for its own, after a restart for instance', async () => {
    const store = memoryStore();
    for (const content of ['Old.', 'New.']) {
      const files = memoryFiles();
      await files.write('/AGENTS.md', content);
      const { agent, asked } = await bench({ files, rest: { store } });
      await agent.run('Hi', { sessionId: 's' });
      expect(asked()).toContain(`/AGENTS.md\n${content}`);
    }
  });

  it('reads the files of other sources when it goes on with other options', async () => {
    const store = memoryStore();
    const files = memoryFiles();
    await files.write('/AGENTS.md', 'A');
    await files.write('/other.md', 'B'.repeat(400));
    const first = await bench({ files, options: { reload: 'once' }, rest: { store } });
    await first.agent.run('Hi', { sessionId: 's' });
    const options = { reload: 'once', sources: ['/other.md'] } as const;
    const second = await bench({ files, options, rest: { store } });
    await second.agent.run('Hi', { sessionId: 's' });
    expect(second.asked()).toContain('/other.md\nBBB');
    const third = await bench({ files, options: { ...options, maxBytes: 300 }, rest: { store } });
    await third.agent.run('Hi', { sessionId: 's' });
    expect(third.asked()).toContain('[cut here');
  });

  it('that was paused before there was memory gets it when it goes on', async () => {
    const store = memoryStore();
    const files = memoryFiles();
    await files.write('/AGENTS.md', 'A');
    const asks = definePlugin({
      name: 'asks',
      async beforeModel(_request, run) {
        await run.interrupt({ kind: 'go', payload: null, answer: { type: 'boolean' } });
      },
    })();
    const without = await createAgent({ model: scriptedModel([]), store, plugins: [asks], log: 'silent' });
    const { interrupts } = await without.run('Hi', { sessionId: 's' });
    await without.close();
    const { agent, asked } = await bench({ files, rest: { store, plugins: [{ use: asks, priority: 60 }] } });
    await agent.resume('s', Object.fromEntries(interrupts.map(({ id }) => [id, true])));
    expect(asked()).toContain('/AGENTS.md\nA');
  });
});

describe('Events', () => {
  it('say what was loaded, cut and skipped; what is cut, in every run', async () => {
    const { agent, files } = await bench({ options: { maxBytes: 300 } });
    await files.write('/AGENTS.md', `@../up.md ${'x'.repeat(400)}`);
    const first = await collectEvents(agent.stream('Hi', { sessionId: 's' }));
    const second = await collectEvents(agent.stream('Hi', { sessionId: 's' }));
    const cut = {
      type: 'plugin',
      plugin: 'memory',
      name: 'cut',
      data: { maxBytes: 300, files: [{ path: '/AGENTS.md', bytes: 410, sent: 240 }] },
    };
    const bySource = (event: { type: string }): boolean => ['plugin', 'warning'].includes(event.type);
    expect(first.events.filter(bySource)).toEqual([
      { type: 'plugin', plugin: 'memory', name: 'loaded', data: { files: ['/AGENTS.md'], bytes: 300 } },
      {
        type: 'plugin',
        plugin: 'memory',
        name: 'import-skipped',
        data: { path: '../up.md', from: '/AGENTS.md', reason: 'it leaves the root' },
      },
      {
        type: 'warning',
        code: 'memory/CUT',
        message:
          'The memory files have more than 300 bytes. These are sent in part or not at all: /AGENTS.md (240 of 410 bytes). Shorten them, or raise maxBytes.',
        plugin: 'memory',
      },
      cut,
    ]);
    expect(second.events.filter(bySource)).toEqual([cut]);
  });
});

describe('A source', () => {
  const unfit: Readonly<Record<string, readonly [make: (root: string) => void, why: RegExp]>> = {
    'is a directory': [(root) => mkdirSync(join(root, 'AGENTS.md')), /is a directory/],
    'leaves the root': [
      (root) => {
        writeFileSync(join(root, '../secret'), 'secret');
        symlinkSync('../secret', join(root, 'AGENTS.md'));
      },
      /out of|root/,
    ],
    'is a FIFO': [(root) => execFileSync('mkfifo', [join(root, 'AGENTS.md')]), /FIFO|not a regular file/],
    'is a device': [(root) => symlinkSync('/dev/zero', join(root, 'AGENTS.md')), /./],
    'links to itself': [(root) => symlinkSync('AGENTS.md', join(root, 'AGENTS.md')), /./],
    'is huge': [
      (root) => writeFileSync(join(root, 'AGENTS.md'), 'x'.repeat(1024 * 1024 + 1)),
      /it has 1048577 bytes; the limit for memory files is 1048576/,
    ],
    'is binary': [
      (root) => writeFileSync(join(root, 'AGENTS.md'), Buffer.from('text\0text')),
      /it is binary: it contains NUL bytes/,
    ],
    'is not UTF-8': [
      (root) => writeFileSync(join(root, 'AGENTS.md'), Buffer.from('Grüße', 'latin1')),
      /encoded as UTF-8/,
    ],
  };

  it.each(Object.entries(unfit))('that %s fails the run, with its path', async (_, [make, why]) => {
    const { files, root } = onDisk({});
    make(root);
    const { agent, model } = await bench({ files });
    const failed = agent.run('Hi');
    await expect(failed).rejects.toMatchObject({ plugin: 'memory', hook: 'beforeAgent' });
    await expect(failed).rejects.toThrow(/memory file "\/AGENTS\.md" could not be read: /);
    await expect(failed).rejects.toThrow(why);
    expect(model.calls).toBe(0);
  });

  // The user root may read everything.
  it.skipIf(process.getuid?.() === 0)('that we may not read fails the run, with its path', async () => {
    const { files, root } = onDisk({ 'AGENTS.md': 'A' });
    chmodSync(join(root, 'AGENTS.md'), 0);
    const { agent } = await bench({ files });
    await expect(agent.run('Hi')).rejects.toThrow(/"\/AGENTS\.md".*EACCES/);
  });

  it('that is a link in the root, or begins with a byte order mark, is read', async () => {
    const { files, root } = onDisk({ 'real.md': '\uFEFFA' });
    symlinkSync('real.md', join(root, 'AGENTS.md'));
    const { agent, asked } = await bench({ files });
    await agent.run('Hi');
    expect(asked()).toContain('/AGENTS.md\nA\n');
  });

  it('that is not named is CLAUDE.md, then AGENTS.md, with what it includes; agent.plugins says which are there', async () => {
    const { files } = onDisk({
      'CLAUDE.md': 'Bees. @AGENTS.md',
      'AGENTS.md': 'Onions. @more.md',
      'more.md': 'More.',
    });
    const { agent, asked } = await bench({ files });
    expect(agent.plugins[0]?.status).toEqual(['from /CLAUDE.md, /AGENTS.md']);
    await agent.run('Hi');
    expect(asked()).toMatch(
      /\/CLAUDE.md\nBees. @AGENTS.md\n\n\/AGENTS.md\nOnions. @more.md\n\n\/more.md\nMore\.\n/,
    );
  });

  it('that is a link to another one, or a copy, is sent once', async () => {
    const { files, root } = onDisk({ 'AGENTS.md': 'Onions.' });
    symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'));
    const { agent, asked } = await bench({ files });
    await agent.run('Hi');
    expect(asked()?.match(/Onions/g)).toHaveLength(1);
    expect(asked()).toContain('/AGENTS.md\nOnions.');
  });

  it('can be edited, of the usual ones, only as AGENTS.md', async () => {
    const { agent } = await bench({ options: { writable: true } });
    const [tool] = agent.tools.list();
    expect(JSON.stringify(tool)).toContain('"enum":["/AGENTS.md"]');
  });

  it('that cannot be looked at when a session goes on fails the run, with its path', async () => {
    const files = memoryFiles();
    await files.write('/AGENTS.md', 'A');
    let isBroken = false;
    const breaking: Files = {
      ...files,
      stat: (path) => (isBroken ? Promise.reject(new Error('the disk is on fire')) : files.stat(path)),
    };
    const { agent, model } = await bench({ files: breaking, options: { sources: ['AGENTS.md'] } });
    await agent.run('Hi', { sessionId: 's' });
    isBroken = true;
    await expect(agent.run('Hi', { sessionId: 's' })).rejects.toThrow(
      /memory file "\/AGENTS\.md" could not be read: the disk is on fire/,
    );
    expect(model.calls).toBe(1);
  });

  it('that vanishes between two looks at it is skipped', async () => {
    const files = memoryFiles();
    const vanishing: Files = { ...files, stat: async () => ({ size: 1, revision: '1' }) };
    const { agent, asked } = await bench({ files: vanishing });
    await agent.run('Hi');
    expect(asked()).toBe('You keep bees.');
  });

  it('whose import leads through a link out of the root does not bring what is there', async () => {
    const { files, root } = onDisk({ 'AGENTS.md': '@link.md @folder/secret.md' });
    writeFileSync(join(root, '../secret.md'), 'secret');
    symlinkSync('../secret.md', join(root, 'link.md'));
    symlinkSync('..', join(root, 'folder'));
    const { agent, asked } = await bench({ files });
    const { events } = await collectEvents(agent.stream('Hi'));
    expect(asked()).not.toContain('secret\n');
    const skipped = events.filter((event) => event.type === 'plugin' && event.name === 'import-skipped');
    expect(skipped).toMatchObject([{ data: { path: '/link.md' } }, { data: { path: '/folder/secret.md' } }]);
  });
});

describe('Options', () => {
  it('that are not given have defaults, and memory its place after summarization', async () => {
    expect(await memory.definition.options?.['~standard'].validate({})).toEqual({
      value: {
        sources: ['/CLAUDE.md', '/AGENTS.md'],
        reload: 'changed',
        maxBytes: 32_768,
        writable: false,
        toolName: 'edit_memory',
      },
    });
    expect(memory.definition.priority).toBe(49);
  });

  async function refused(options: unknown): Promise<string> {
    const made = createAgent({
      model: scriptedModel([]),
      log: 'silent',
      plugins: [memory(options as MemoryOptions)],
    });
    return made.then(
      () => 'accepted',
      (error: unknown) => String(error),
    );
  }

  it.each([
    [{ source: ['/a'] }, /source: .*did you mean "sources"\?/],
    [{ sources: [] }, /sources: it is \[\]; write a list of at least 1/],
    [{ sources: 'AGENTS.md' }, /sources: it is "AGENTS\.md"; write a list/],
    [{ sources: ['../AGENTS.md'] }, /"\.\.\/AGENTS\.md" is outside the agent's files/],
    [{ sources: ['~/AGENTS.md'] }, /"~\/AGENTS\.md" is outside the agent's files/],
    [{ sources: ['docs/'] }, /"docs\/" is not a file/],
    [{ sources: [''] }, /"" is not a file/],
    [{ sources: ['AGENTS.md', './AGENTS.md'] }, /it lists "\/AGENTS\.md" twice/],
    [{ reload: 'never' }, /reload: it is "never"; write "changed" or "once"/],
    [{ maxBytes: 0 }, /maxBytes: it is 0; write a whole number of at least 256/],
    [{ template: 'Remember!' }, /template: it does not contain \{memory\}/],
    [{ writable: 'yes' }, /writable: it is "yes"; write true or false/],
    [{ toolName: 'edit memory' }, /toolName: it is "edit memory"; write 1 to 64 letters/],
  ])('%j are refused', async (options, why) => {
    expect(await refused(options)).toMatch(why);
  });
});
