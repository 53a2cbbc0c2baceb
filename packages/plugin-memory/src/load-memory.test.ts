import type { Files } from '@shallot/core/files';
import { memoryFiles } from '@shallot/core/files';
import { describe, expect, it } from 'vitest';

import { loadMemory, type LoadedMemory } from './load-memory.ts';
import { withClosedFence } from './split-markdown.ts';

async function filesOf(content: Readonly<Record<string, string | Uint8Array>>): Promise<Files> {
  const files = memoryFiles();
  for (const [path, data] of Object.entries(content)) await files.write(path, data);
  return files;
}

/** Loads `/AGENTS.md`, or other sources. */
async function load(
  content: Readonly<Record<string, string | Uint8Array>>,
  { sources = ['/AGENTS.md'], maxBytes = 32_768 } = {},
): Promise<LoadedMemory> {
  return loadMemory(await filesOf(content), sources, maxBytes);
}

describe('Loading memory', () => {
  it('puts each path above its content, and a blank line between files, in the order of the sources', async () => {
    const content = { '/b.md': 'B\n', '/a.md': '\nA 1\r\nA 2\r\n\r\n', '/c.md': 'C' };
    const { text } = await load(content, { sources: ['/c.md', '/a.md', '/b.md'] });
    expect(text).toBe('/c.md\nC\n\n/a.md\nA 1\nA 2\n\n/b.md\nB');
  });

  it('leaves out files that are missing, empty, or nothing but comments', async () => {
    const content = { '/empty.md': ' \n\n', '/comment.md': '<!-- to do -->\n', '/a.md': 'A' };
    const { text, files } = await load(content, {
      sources: ['/empty.md', '/none.md', '/comment.md', '/a.md'],
    });
    expect(text).toBe('/a.md\nA');
    expect(files).toEqual(['/a.md']);
  });

  it('leaves out comments, but keeps them in code', async () => {
    const content =
      'One.<!-- two -->\n<!-- three\nfour -->\nFive: `<!-- six -->`\n\n```html\n<!-- seven -->\n```\n';
    const { text } = await load({ '/AGENTS.md': content });
    expect(text).toBe('/AGENTS.md\nOne.\nFive: `<!-- six -->`\n\n```html\n<!-- seven -->\n```');
  });
});

describe('Imports', () => {
  it('stand behind the file that mentions them, under their own paths', async () => {
    const { text, files } = await load(
      {
        '/docs/AGENTS.md': 'See @style.md, (@./sub/b.md) and **@/root.md**.\n- @../up.md\n- @my\\ notes.md',
        '/docs/style.md': 'Style.',
        '/docs/sub/b.md': 'B, with @c.md',
        '/docs/sub/c.md': 'C.',
        '/docs/my notes.md': 'Notes.',
        '/root.md': 'Root.',
        '/up.md': 'Up.',
      },
      { sources: ['/docs/AGENTS.md'] },
    );
    expect(files).toEqual([
      '/docs/AGENTS.md',
      '/docs/style.md',
      '/docs/sub/b.md',
      '/root.md',
      '/up.md',
      '/docs/my notes.md',
      '/docs/sub/c.md',
    ]);
    expect(text).toContain('See @style.md, (@./sub/b.md) and **@/root.md**.');
    expect(text).toContain('\n\n/docs/style.md\nStyle.\n\n');
  });

  it.each([
    '`@a.md`',
    '```\n@a.md\n```',
    '~~~\n@a.md\n~~~',
    'x\n\n    @a.md',
    '<!-- @a.md -->',
    'b@a.md',
    '`x`@a.md',
    'x <!-- \n\n@a.md -->',
  ])('are none in %j', async (mention) => {
    const { files } = await load({
      '/AGENTS.md': `x ${mention}`.replace('x x', 'x').replace('x ```', '```').replace('x ~~~', '~~~'),
      '/a.md': 'A',
    });
    expect(files).not.toContain('/a.md');
  });

  it('are plain text when there is no such file', async () => {
    const loaded = await load({
      '/AGENTS.md': 'Ask @ada, or write to ada@example.org. Use @types/node. @ @. @/',
    });
    expect(loaded).toMatchObject({
      text: '/AGENTS.md\nAsk @ada, or write to ada@example.org. Use @types/node. @ @. @/',
      skipped: [],
    });
  });

  it('are each loaded once, also in a circle', async () => {
    const content = {
      '/AGENTS.md': '@a.md @./a.md @/a.md',
      '/a.md': '@b.md @a.md',
      '/b.md': '@a.md @AGENTS.md',
    };
    expect((await load(content)).files).toEqual(['/AGENTS.md', '/a.md', '/b.md']);
  });

  it('that are sources themselves keep their place', async () => {
    const content = { '/a.md': '@b.md', '/b.md': 'B', '/c.md': 'C' };
    expect((await load(content, { sources: ['/a.md', '/c.md', '/b.md'] })).files).toEqual([
      '/a.md',
      '/c.md',
      '/b.md',
    ]);
  });

  it('are followed to a depth of five', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`/${at}.md`, `@${at + 1}.md @ada`]),
    );
    const { files, skipped } = await load(chain, { sources: ['/0.md'] });
    expect(files).toEqual(['/0.md', '/1.md', '/2.md', '/3.md', '/4.md', '/5.md']);
    expect(skipped).toEqual([
      { path: '/6.md', from: '/5.md', reason: 'it is more than 5 imports away from its source' },
    ]);
  });

  it.each(['@../secret.md', '@~/secret.md', '@/../secret.md', '@sub/../../secret.md'])(
    'do not leave the root: %s',
    async (mention) => {
      const { files, skipped } = await load({ '/AGENTS.md': mention, '/secret.md': 'S', '/sub/a.md': '' });
      expect(files).toEqual(['/AGENTS.md']);
      expect(skipped).toEqual([{ path: mention.slice(1), from: '/AGENTS.md', reason: 'it leaves the root' }]);
    },
  );

  it('are skipped, and that is said, when they are no text files', async () => {
    const { files, skipped } = await load({
      '/AGENTS.md': '@docs @logo.png @latin1.txt @big.md @a.md',
      '/docs/x.md': 'X',
      '/logo.png': Uint8Array.of(137, 80, 78, 71, 0),
      '/latin1.txt': Uint8Array.of(0x66, 0xfc, 0x72),
      '/big.md': 'x'.repeat(1024 * 1024 + 1),
      '/a.md': 'A',
    });
    expect(files).toEqual(['/AGENTS.md', '/a.md']);
    expect(skipped.map(({ path }) => path)).toEqual(['/docs', '/logo.png', '/latin1.txt', '/big.md']);
    expect(skipped[0]?.reason).toMatch(/^"\/docs" is a directory.*another path$/);
  });

  it('that the files fail to read are an error, with their path', async () => {
    const files = await filesOf({ '/AGENTS.md': '@docs/more.md', '/docs/more.md': 'More.' });
    const failing: Files = {
      ...files,
      read: (path) =>
        path === '/AGENTS.md' ? files.read(path) : Promise.reject(new Error('the disk is on fire')),
    };
    await expect(loadMemory(failing, ['/AGENTS.md'], 1000)).rejects.toMatchObject({
      code: 'memory/FILE_FAILED',
      message: expect.stringContaining('"/docs/more.md" could not be read: the disk is on fire') as string,
    });
  });

  it('are a hundred at the most', async () => {
    const many = Array.from({ length: 150 }, (_, at) => `/${at}.md`);
    const content = {
      '/AGENTS.md': many.map((path) => `@${path}`).join(' '),
      ...Object.fromEntries(many.map((path) => [path, 'x'])),
    };
    const { files, skipped } = await load(content);
    expect(files).toHaveLength(101);
    expect(skipped).toEqual([
      { path: '/100.md', from: '/AGENTS.md', reason: 'there are more than 100 imports' },
    ]);
  });

  it('cost nothing much in a file that is full of them', async () => {
    const { skipped } = await load({ '/AGENTS.md': '@../a '.repeat(150_000) });
    expect(skipped).toHaveLength(1);
    const mentions = Array.from({ length: 100_000 }, (_, at) => `@../${at}`).join(' ');
    expect((await load({ '/AGENTS.md': mentions })).skipped).toHaveLength(101);
    expect((await load({ '/AGENTS.md': `@${'!'.repeat(1_000_000)}a` })).skipped).toEqual([]);
  });
});

describe('The budget', () => {
  const kilobyte = (letter: string): string => `${letter.repeat(99)}\n`.repeat(10);

  it('is spent on the most specific file first: the last source', async () => {
    const content = { '/a.md': kilobyte('a'), '/b.md': kilobyte('b'), '/c.md': kilobyte('c') };
    const loaded = await load(content, { sources: ['/a.md', '/b.md', '/c.md'], maxBytes: 1600 });
    const { text, cut, files } = loaded;
    expect(files).toEqual(['/b.md', '/c.md']);
    expect(text).toContain(kilobyte('c').trimEnd());
    expect(text).toContain('/b.md\nbbb');
    expect(text).not.toContain('/a.md');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1600);
    expect(cut).toEqual([
      { path: '/b.md', bytes: 999, sent: 499 },
      { path: '/a.md', bytes: 999, sent: 0 },
    ]);
    expect(text).toContain('b\n[cut here: these are the first 499 of 999 bytes]\n\n/c.md\n');
  });

  it.each([40, 60, 80, 100, 150, 200, 400])(
    'never ends what is sent within a block of code: %i bytes',
    async (maxBytes) => {
      const content = { '/a.md': `Run this:\n\n> - \`\`\`\`ts\n${'code();\n'.repeat(50)}` };
      const { text } = await load(content, { sources: ['/a.md'], maxBytes });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      expect(withClosedFence(text)).toBe(text);
    },
  );

  it('closes a block of code that its file leaves open', async () => {
    const { text } = await load({ '/a.md': 'A\n```ts\ncode();' }, { sources: ['/a.md'], maxBytes: 1000 });
    expect(text).toBe('/a.md\nA\n```ts\ncode();\n```');
  });

  it('is spent on sources before what they import', async () => {
    const content = { '/a.md': kilobyte('a'), '/b.md': `@i.md ${kilobyte('b')}`, '/i.md': kilobyte('i') };
    const { cut, text } = await load(content, { sources: ['/a.md', '/b.md'], maxBytes: 2300 });
    expect(cut.map(({ path }) => path)).toEqual(['/i.md']);
    expect(text.indexOf('/b.md')).toBeLessThan(text.indexOf('/i.md'));
  });

  it('is never exceeded, and cuts no character in two', async () => {
    const letters = ['a', 'é', '漢', '🧅', '\n'];
    for (let maxBytes = 256; maxBytes < 320; maxBytes += 1) {
      const content = Object.fromEntries(
        letters.map((letter, at) => [`/${at}.md`, `x${letter.repeat(200)}x`]),
      );
      const { text } = await load(content, { sources: Object.keys(content), maxBytes });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      expect(text).not.toContain('\uFFFD');
    }
  });

  it('that is just enough cuts nothing', async () => {
    const content = { '/a.md': 'a'.repeat(100), '/b.md': 'b'.repeat(150) };
    const sources = Object.keys(content);
    const { text } = await load(content, { sources });
    const exact = Buffer.byteLength(text);
    expect((await load(content, { sources, maxBytes: exact })).cut).toEqual([]);
    expect((await load(content, { sources, maxBytes: exact - 1 })).cut).toHaveLength(1);
  });
});
