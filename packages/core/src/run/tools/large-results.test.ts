import { describe, expect, it } from 'vitest';

import { textPart, type FilePart } from '../../contract/messages.ts';
import type { Tool, ToolResult } from '../../contract/tool.ts';
import type { Files } from '../../files/files.ts';
import { memoryFiles } from '../../files/memory-files.ts';
import { pathIn, resultPlace } from '../../files/session-place.ts';
import { Frame } from '../../hooks/frame.ts';
import type { RunParts } from '../run-parts.ts';
import { maxResultTokens, resultByReference, type Executed } from './result-by-reference.ts';

interface Given {
  readonly tool?: Partial<Tool>;
  readonly files?: Files;
  readonly tools?: readonly Partial<Tool>[];
}

/** Four characters are a token, and a result has at most so many. */
async function referred(limit: number, result: ToolResult, given: Given = {}) {
  const { tool = {}, files = memoryFiles(), tools = [] } = given;
  const warned: unknown[] = [];
  const parts = {
    maxResultTokens: limit,
    model: {},
    tokens: { text: (text: string) => Math.ceil(text.length / 4) },
    tools: { list: tools },
    files: () => files,
  };
  const session = { id: 's', isHeld: true, about: { files: [pathIn(resultPlace, 's')] } };
  const run = {
    terms: { parts },
    record: { session },
    plugins: { ownView: {} },
    signs: { warn: (...warning: readonly unknown[]) => void warned.push(warning) },
    life: {},
  } as unknown as RunParts;
  const call = { id: 'c', name: 'look', input: {}, index: 0 };
  const executed = { call, pass: 1, frame: new Frame(), tool } as unknown as Executed;
  return { result: await resultByReference(run, executed, result), warned };
}

const said = (length: number): ToolResult => ({ content: [textPart('x'.repeat(length))] });
const image = (rest: Partial<FilePart> = {}): FilePart => ({
  type: 'file',
  mediaType: 'image/png',
  data: 'AQID',
  ...rest,
});
const textsOf = ({ content }: ToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('');
const filesOf = ({ content }: ToolResult): number => content.filter(({ type }) => type === 'file').length;

describe('the size of a result that the model gets whole', () => {
  it.each<[string, Parameters<typeof maxResultTokens>[0], number]>([
    ['is ten thousand tokens', { model: {} as never }, 10_000],
    ['is a twentieth of the context', { model: { limits: { contextTokens: 100_019 } } as never }, 5000],
    [
      'is ten thousand tokens of a large context',
      { model: { limits: { contextTokens: 400_000 } } as never },
      10_000,
    ],
    ['is that of the agent', { model: {} as never, maxResultTokens: 7 }, 7],
  ])('%s', (_, parts, expected) => {
    expect(maxResultTokens(parts)).toBe(expected);
  });

  it.each<[string, number, Given, boolean]>([
    ['at the limit', 400, {}, true],
    ['one character beyond', 401, {}, false],
    ['beyond, of a tool that takes more', 401, { tool: { maxResultTokens: 101 } }, true],
    ['below, of a tool that takes less', 399, { tool: { maxResultTokens: 99 } }, false],
    ['of any size, of a tool without a limit', 5000, { tool: { maxResultTokens: Infinity } }, true],
    ['of any size, of a tool that answers the user', 5000, { tool: { returnDirectly: true } }, true],
    [
      'beyond, of a tool that answers the user within a limit',
      401,
      { tool: { returnDirectly: true, maxResultTokens: 100 } },
      false,
    ],
  ])('is kept: %s', async (_, length, given, isKept) => {
    const result = said(length);
    const { result: referredResult } = await referred(100, result, given);
    expect(referredResult === result).toBe(isKept);
  });

  it('counts several texts as one', async () => {
    const half = textPart('x'.repeat(200));
    // The two line breaks between them count.
    const two: ToolResult = { content: [half, half] };
    expect((await referred(100, two)).result).not.toBe(two);
    expect((await referred(101, two)).result).toBe(two);
    const many: ToolResult = { content: Array.from({ length: 200 }, () => textPart('x')) };
    expect((await referred(100, many)).result).not.toBe(many);
  });
});

describe('a large result', () => {
  it('is a file of the session, with its head, its tail and its path in its place', async () => {
    const files = memoryFiles();
    const text = `begin${'x'.repeat(800)}end`;
    const { result } = await referred(100, { content: [textPart(text)] }, { files });
    const shown = textsOf(result);
    const [path = ''] = /\/results\/\S+\.txt/.exec(shown) ?? [];
    expect(shown).toContain(
      `[This is the beginning and the end of a result of 808 characters. All of it is in the file ${path}: read it with read_result.]`,
    );
    expect([shown.startsWith('begin'), shown.endsWith('end')]).toEqual([true, true]);
    expect(shown.replace(/\n\n\[.*\]\n\n/, '').length).toBeLessThanOrEqual(100);
    const [kept] = await files.list(pathIn(resultPlace, 's'));
    expect((await files.readText(kept?.path ?? '')).text).toBe(text);
  });

  it('names the tool that reads files', async () => {
    const tools = [{ name: 'other' }, { name: 'read_file', readsFiles: true }];
    const { result } = await referred(100, said(500), { tools });
    expect(textsOf(result)).toContain('read it with read_file.]');
  });

  it('of JSON is a file with lines', async () => {
    const files = memoryFiles();
    const data = { list: ['x'.repeat(500)] };
    const { result } = await referred(100, { content: [textPart(JSON.stringify(data))], data }, { files });
    expect(textsOf(result)).toMatch(/\/results\/\S+\.json/);
    expect(result.data).toBeUndefined();
    const [kept] = await files.list(pathIn(resultPlace, 's'));
    expect((await files.readText(kept?.path ?? '')).text).toBe(JSON.stringify(data, undefined, 1));
  });

  it.each([
    ['keeps data of a quarter of the limit', 98, true],
    ['loses data beyond that', 99, false],
  ])('%s', async (_, length, isKept) => {
    const { result } = await referred(100, { ...said(500), data: 'x'.repeat(length) });
    expect(result.data !== undefined).toBe(isKept);
  });

  it('that cannot be written is cut, which is said', async () => {
    const write = async (): Promise<never> => {
      throw new Error('the disk is full');
    };
    const { result, warned } = await referred(100, said(500), { files: { ...memoryFiles(), write } });
    expect(textsOf(result)).toContain('The rest is lost, because it could not be kept: the disk is full]');
    expect(warned).toEqual([
      ['RESULT_NOT_KEPT', 'A large result of look was cut, because it could not be kept: the disk is full'],
    ]);
  });
});

describe('the files of a result', () => {
  it.each([
    [10, 10],
    [11, 10],
  ])('are shown up to the tenth: %i', async (count, shown) => {
    const content = Array.from({ length: count }, () => image());
    const { result } = await referred(100, { content });
    expect(filesOf(result)).toBe(shown);
    expect(textsOf(result) === '').toBe(count === shown);
  });

  it('are shown up to four megabytes, and those that still fit after one that does not', async () => {
    const bytes = 4 * 1024 * 1024;
    const most = image({ data: 'A'.repeat((bytes / 3) * 4 - 4 - (((bytes / 3) * 4) % 4)) });
    const { result } = await referred(100, { content: [most, most, image()] });
    expect(filesOf(result)).toBe(2);
  });

  it.each([
    ['image/png', 'png'],
    ['application/PDF', 'pdf'],
    ['text/plain;charset=utf-8', 'plain'],
    ['image/svg+xml', 'bin'],
    ['text', 'bin'],
  ])('beyond the tenth are files of the session: %s is a %s', async (mediaType, extension) => {
    const content = [...Array.from({ length: 10 }, () => image()), image({ mediaType, name: 'a "b"' })];
    const { result } = await referred(100, { content });
    expect(textsOf(result)).toMatch(
      new RegExp(
        `^\\[A file named "a \\\\"b\\\\"" \\(${mediaType.replace('+', '\\+')}, 3 bytes\\) is left out here\\. It is at /results/\\S+\\.${extension}: read it with read_result\\.\\]$`,
      ),
    );
  });

  it('beyond the tenth are left out if they are elsewhere', async () => {
    const { data: _, ...there } = image({ url: 'https://example.com/a.png' });
    const { url: __, ...nowhere } = there;
    const content = [...Array.from({ length: 10 }, () => image()), there, nowhere] as FilePart[];
    const { result, warned } = await referred(100, { content });
    expect(textsOf(result)).toBe(
      '[A file (image/png, 0 bytes) is left out, at https://example.com/a.png.]\n\n[A file (image/png, 0 bytes) is left out, at no address.]',
    );
    expect(warned).toEqual([]);
  });
});
