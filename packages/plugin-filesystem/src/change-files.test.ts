import { link, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@shallot/core';
import { diskFiles, memoryFiles, mountFiles } from '@shallot/core/files';
import { describe, expect, it } from 'vitest';

import { testTools } from '../test/tools.ts';

describe('write_file', () => {
  it('makes files, and writes anew what was read', async () => {
    await using tools = await testTools();
    expect((await tools.write({ path: 'a/b.md', content: 'one\n' })).text).toBe('Created /a/b.md: 4 bytes.');
    expect((await tools.write({ path: '/a/b.md', content: 'two\n' })).text).toBe('Wrote /a/b.md: 4 bytes.');
    expect((await tools.files.readText('/a/b.md')).text).toBe('two\n');
  });

  it('does not replace what the model has not read, or what somebody has changed since', async () => {
    await using tools = await testTools();
    await tools.files.write('/a', 'theirs');
    expect(await tools.write({ path: '/a', content: 'mine' })).toMatchObject({
      isError: true,
      text: '/a exists, and was not read in this session. Call read_file before you replace it.',
    });
    await tools.read({ path: '/a' });
    await tools.files.write('/a', 'theirs again');
    expect(await tools.write({ path: '/a', content: 'mine' })).toMatchObject({
      isError: true,
      text: '/a was changed by somebody since it was read, and was left as it is. Call read_file to see its content now.',
    });
    expect((await tools.files.readText('/a')).text).toBe('theirs again');
    await tools.read({ path: '/a' });
    expect((await tools.write({ path: '/a', content: 'mine' })).isError).toBe(false);
  });

  it.each([
    ['is not encoded as UTF-8', Buffer.from('café\n', 'latin1')],
    ['is binary', Buffer.from(`${'a\n'.repeat(5000)}\0\n`)],
  ])('does not rewrite a file that was shown and %s', async (fault, content) => {
    await using tools = await testTools();
    await tools.files.write('/a', content);
    await tools.read({ path: '/a' });
    expect(await tools.write({ path: '/a', content: 'tea' })).toMatchObject({
      isError: true,
      text: `/a ${fault}: these tools do not rewrite it.`,
    });
    expect(Buffer.from((await tools.files.read('/a')).bytes)).toEqual(content);
  });

  it('writes a long file anew, whatever character is at the end of its part that is looked at', async () => {
    await using tools = await testTools();
    await tools.files.write('/a', `a${'é'.repeat(600_000)}`);
    await tools.read({ path: '/a', limit: 1 });
    expect((await tools.write({ path: '/a', content: 'tea' })).text).toBe('Wrote /a: 3 bytes.');
  });

  it('finds its own work done when it is repeated', async () => {
    await using tools = await testTools();
    await tools.files.write('/a', 'same');
    expect((await tools.write({ path: '/a', content: 'same' })).isError).toBe(false);
  });

  it('keeps a byte order mark and CRLF, which the model does not see', async () => {
    await using tools = await testTools();
    await tools.files.write('/a', '\ufeffone\r\ntwo\r\n');
    await tools.read({ path: '/a' });
    const { text } = await tools.write({ path: '/a', content: 'three\nfour' });
    expect(text).toBe('Wrote /a: 14 bytes. Its lines end in CRLF, as before. Its byte order mark was kept.');
    expect(Buffer.from((await tools.files.read('/a')).bytes).toString()).toBe('\ufeffthree\r\nfour');
  });

  it('never rewrites what is binary, and writes no half characters', async () => {
    await using tools = await testTools();
    await tools.files.write('/a', Uint8Array.of(1, 0, 2));
    expect((await tools.write({ path: '/a', content: 'x' })).text).toContain(
      'is binary: these tools do not rewrite',
    );
    expect((await tools.write({ path: '/b', content: 'half \ud800' })).text).toContain(
      'half a surrogate pair',
    );
    expect(await tools.files.stat('/b')).toBeUndefined();
  });

  it('works across mounts', async () => {
    const notes = memoryFiles();
    await using tools = await testTools({}, mountFiles({ '/': memoryFiles(), '/notes/': notes }));
    await tools.write({ path: '/notes/a.md', content: 'x' });
    await tools.edit({ path: '/notes/a.md', old_string: 'x', new_string: 'y' });
    expect((await notes.readText('/a.md')).text).toBe('y');
    expect((await tools.glob({ pattern: '**/*.md' })).text).toBe('/notes/a.md');
  });
});

describe('edit_file', () => {
  it('replaces a passage that occurs once, and each one when asked', async () => {
    await using tools = await testTools();
    await tools.files.write('/a', 'x = 1\ny = 1\n');
    expect((await tools.edit({ path: '/a', old_string: 'x = 1', new_string: 'x = $&' })).text).toBe(
      'Replaced one passage in /a.',
    );
    await tools.files.write('/b', 'a a a');
    expect(await tools.edit({ path: '/b', old_string: 'a', new_string: 'b' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('occurs 3 times') as unknown,
    });
    expect(
      (await tools.edit({ path: '/b', old_string: 'a', new_string: 'b', replace_all: true })).message.data,
    ).toMatchObject({ replaced: 3 });
    expect((await tools.files.readText('/a')).text).toBe('x = $&\ny = 1\n');
    expect((await tools.files.readText('/b')).text).toBe('b b b');
  });

  it.each([
    ['is not there', 'z', 'y', 'is not in the file'],
    ['is the same', 'x', 'x', 'are the same'],
    ['has half a character', 'x', '\udc00', 'half a surrogate pair'],
  ])('changes nothing when the passage %s', async (_, old, replacement, why) => {
    await using tools = await testTools();
    const revision = await tools.files.write('/a', 'x');
    const { isError, text } = await tools.edit({ path: '/a', old_string: old, new_string: replacement });
    expect([isError, text.includes(why), (await tools.files.stat('/a'))?.revision]).toEqual([
      true,
      true,
      revision,
    ]);
  });

  it('makes several edits at once, all or none', async () => {
    await using tools = await testTools();
    await tools.files.write('/a', 'one\ntwo\nthree\n');
    const edits = [
      { old_string: 'three', new_string: '3' },
      { old_string: 'one', new_string: '1' },
    ];
    expect((await tools.edit({ path: '/a', edits })).text).toBe('Replaced 2 passages in /a.');
    expect((await tools.files.readText('/a')).text).toBe('1\ntwo\n3\n');
    const refused = async (args: JsonObject): Promise<string> => {
      const { isError, text } = await tools.edit({ path: '/a', ...args });
      expect(isError).toBe(true);
      expect((await tools.files.readText('/a')).text).toBe('1\ntwo\n3\n');
      return text;
    };
    expect(await refused({ edits: [...edits, { old_string: 'two', new_string: '2' }] })).toContain(
      'edit 1 of 3: the text to replace is not in the file',
    );
    const overlapping = [
      { old_string: '1\ntwo', new_string: 'a' },
      { old_string: 'two\n3', new_string: 'b' },
    ];
    expect(await refused({ edits: overlapping })).toContain('the edits 1 and 2 change the same passage');
    expect(await refused({ edits: [] })).toContain('edits');
    expect(await refused({ edits, old_string: 'two', new_string: 'x' })).toContain(
      'either edits, or old_string',
    );
    expect(await refused({ old_string: 'two' })).toContain('Give old_string and new_string');
  });

  it('says that a file has several names', async () => {
    const root = await mkdtemp(join(tmpdir(), 'links-'));
    await writeFile(join(root, 'a'), 'one');
    await link(join(root, 'a'), join(root, 'b'));
    await using tools = await testTools({}, diskFiles(root));
    const said = 'The file has 2 names on the disk (hard links); it was changed under all of them.';
    expect((await tools.edit({ path: '/a', old_string: 'one', new_string: 'two' })).text).toContain(said);
    expect((await tools.write({ path: '/a', content: 'three' })).text).toContain(said);
    expect((await tools.files.readText('/b')).text).toBe('three');
  });

  it('keeps byte order mark, CRLF and the missing end of the last line', async () => {
    await using tools = await testTools();
    await tools.files.write('/a', '\ufeffone\r\ntwo\r\nthree');
    await tools.edit({ path: '/a', old_string: 'one\ntwo', new_string: 'ONE\nTWO\nMORE' });
    expect(Buffer.from((await tools.files.read('/a')).bytes).toString()).toBe(
      '\ufeffONE\r\nTWO\r\nMORE\r\nthree',
    );
  });

  it('does not touch what is not UTF-8, too large, or changed since it was read', async () => {
    await using tools = await testTools({ maxEditBytes: 10 });
    const edit = { old_string: 'a', new_string: 'b' };
    await tools.files.write('/latin', Uint8Array.of(0x61, 0xfc));
    expect((await tools.edit({ path: '/latin', ...edit })).text).toContain('is not encoded as UTF-8');
    await tools.files.write('/late', `aaaaaaaa\0`);
    expect((await tools.edit({ path: '/late', ...edit })).text).toContain('is binary');
    await tools.files.write('/large', 'a'.repeat(11));
    expect((await tools.edit({ path: '/large', ...edit })).text).toContain('at most 10 bytes');
    await tools.files.write('/a', 'a');
    await tools.read({ path: '/a' });
    await tools.files.write('/a', 'a!');
    expect((await tools.edit({ path: '/a', ...edit })).text).toContain('was changed by somebody since');
    expect((await tools.files.readText('/a')).text).toBe('a!');
  });

  it('makes several edits of one step, each on what the one before left', async () => {
    const { createAgent } = await import('@shallot/core');
    const { scriptedModel } = await import('@shallot/testing');
    const { filesystem } = await import('./index.ts');
    const files = memoryFiles();
    await files.write('/a', '1 2 3 4 5 6');
    const toolCalls = ['1', '2', '3', '4', '5', '6'].map((old) => ({
      name: 'edit_file',
      args: { path: '/a', old_string: old, new_string: `<${old}>` },
    }));
    const model = scriptedModel([{ toolCalls }, { text: 'Done.' }]);
    await using agent = await createAgent({ model, files, plugins: [filesystem()] });
    await agent.run('Edit.');
    expect((await files.readText('/a')).text).toBe('<1> <2> <3> <4> <5> <6>');
  });
});

describe('delete_file', () => {
  it('deletes a file, once or twice, but not one that somebody has changed since it was read', async () => {
    await using tools = await testTools();
    await tools.files.write('/a', 'x');
    expect((await tools.remove({ path: '/a' })).text).toBe('Deleted /a.');
    expect(await tools.remove({ path: '/a' })).toMatchObject({
      isError: false,
      text: 'There is no file /a.',
    });
    await tools.files.write('/b', 'x');
    await tools.read({ path: '/b' });
    await tools.files.write('/b', 'y');
    expect((await tools.remove({ path: '/b' })).text).toContain('was changed by somebody since');
    expect(await tools.files.stat('/b')).toBeDefined();
  });
});
