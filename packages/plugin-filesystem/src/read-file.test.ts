import { memoryFiles, type Files } from '@shallot/core/files';
import { describe, expect, it } from 'vitest';

import { testTools } from '../test/tools.ts';

async function readIn(content: string | Uint8Array, args = {}, options = {}): Promise<string> {
  const files = memoryFiles();
  await files.write('/f', content);
  await using tools = await testTools(options, files);
  return (await tools.read({ path: '/f', ...args })).text;
}

describe('read_file', () => {
  it('numbers the lines, and says what is not seen in them', async () => {
    expect(await readIn('one\ntwo\n')).toBe('1\tone\n2\ttwo');
    expect(await readIn('one\ntwo')).toBe('1\tone\n2\ttwo\n[No line feed at the end of the file.]');
    expect(await readIn('\ufeffone\r\ntwo\r\n')).toBe('1\tone\n2\ttwo\n[The lines end in CRLF.]');
    expect(await readIn('one\r\ntwo\n')).toBe('1\tone\r\n2\ttwo');
    expect(await readIn('')).toBe('[The file is empty.]');
    expect(await readIn('\n')).toBe('1\t');
  });

  it('cuts a long line between characters, not within one', async () => {
    const line = `a${'😀'.repeat(1500)}\n`;
    expect(await readIn(line)).toBe(
      `1\ta${'😀'.repeat(999)}\n[Line 1 is longer than shown. Call read_file with offset 1, limit 1 and column 2001 for what follows in line 1.]`,
    );
    expect(await readIn(line, { limit: 1, column: 2001 })).toBe(`1\t${'😀'.repeat(501)}`);
  });

  it('shows a range of lines, and says how to go on', async () => {
    const lines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('');
    expect(await readIn(lines, { offset: 4, limit: 2 })).toBe(
      '4\tline 4\n5\tline 5\n[Lines 4 to 5 are shown, and more follow. Call read_file with offset 6 for the next ones.]',
    );
    expect(await readIn(lines, { offset: 9 })).toBe(
      '9\tline 9\n10\tline 10\n[These are the last lines of the file.]',
    );
    expect(await readIn(lines, { offset: 12 })).toBe('[The file has only 10 lines.]');
    expect(await readIn(lines, { limit: 50 }, { maxLines: 1, prefix: 'p_' })).toContain(
      'Call p_read_file with offset 2',
    );
  });

  it('cuts at its limit of characters, and long lines, which can be read in pieces', async () => {
    expect(await readIn(`${'x'.repeat(600)}\n${'y'.repeat(600)}\nz\n`, {}, { maxCharacters: 1000 })).toMatch(
      /^1\tx{600}\n2\ty{600}\n\[Lines 1 to 2 are shown, and more follow\./,
    );
    const long = `${'a'.repeat(1999)}😀${'b'.repeat(3000)}c\nend\n`;
    const first = await readIn(long);
    expect(first).toContain('2\tend');
    expect(first).toContain(
      '[Line 1 is longer than shown. Call read_file with offset 1, limit 1 and column 2001',
    );
    expect(await readIn(long, { offset: 1, limit: 1, column: 2002 })).toMatch(/^1\tb{3000}c\n\[Lines 1 to 1/);
  });

  it('names what is not text, and shows images and PDFs as they are', async () => {
    expect(await readIn(Uint8Array.of(1, 0, 2))).toBe('/f is binary, not text in UTF-8: it cannot be shown.');
    expect(await readIn(Buffer.from('\ufeffhi', 'utf16le'))).toContain('is encoded as UTF-16');
    expect(await readIn(Uint8Array.of(0x47, 0xfc, 0x6e, 10))).toContain(
      '[Line 1 has characters that are not UTF-8',
    );
    const files = memoryFiles();
    const png = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1');
    await files.write('/i/a.bin', png);
    await files.write('/b.pdf', `%PDF-${'x'.repeat(100)}`);
    await using tools = await testTools({ maxMediaBytes: 50 }, files);
    expect((await tools.read({ path: '/i/a.bin' })).message.content).toEqual([
      { type: 'text', text: '/i/a.bin is image/png, 12 bytes.' },
      { type: 'file', mediaType: 'image/png', data: png.toString('base64'), name: 'a.bin' },
    ]);
    expect((await tools.read({ path: '/b.pdf' })).text).toContain(
      'application/pdf and has 105 bytes; at most 50',
    );
  });

  it('reads a file that grows to the size it had, says so, and does not count as having read it', async () => {
    const inner = memoryFiles();
    await inner.write('/log', 'x\n'.repeat(300_000));
    const files: Files = {
      ...inner,
      async read(path, options) {
        const read = await inner.read(path, options);
        await inner.append('/log', 'new\n');
        return read;
      },
    };
    await using tools = await testTools({}, files);
    const { text } = await tools.read({ path: '/log', offset: 299_999 });
    expect(text).toMatch(/^299999\tx\n300000\tx\n/);
    expect(text).toContain('was changed while it was read');
    expect((await tools.write({ path: '/log', content: '' })).text).toContain('was not read in this session');
  });

  it('holds no more of a file than it shows, whatever its size', async () => {
    const line = `${'0123456789'.repeat(9)}\n`;
    const chunk = Buffer.from(line.repeat(2000));
    const size = 100 * 1024 * 1024;
    let largest = 0;
    let read = 0;
    // 100 MB, above the limit of every file service: only parts of it can be read.
    const files: Files = {
      ...memoryFiles(),
      stat: async () => ({ size, revision: 'r' }),
      async read(_, { start = 0, length = size } = {}) {
        const bytes = Math.max(0, Math.min(length, size - start));
        largest = Math.max(largest, bytes);
        read += bytes;
        const from = start % line.length;
        return {
          bytes: Uint8Array.from(chunk.subarray(from, from + Math.min(bytes, chunk.length - from))),
          revision: 'r',
        };
      },
    };
    await using tools = await testTools({}, files);
    const { text } = await tools.read({ path: '/huge' });
    expect(text).toContain('and more follow');
    expect(largest).toBeLessThan(1024 * 1024);
    expect(read).toBeLessThan(1024 * 1024);
    read = 0;
    expect((await tools.read({ path: '/huge', offset: 10_000_000 })).text).toContain('only 1152');
    expect(largest).toBeLessThan(1024 * 1024);
  });
});
