import { defineTool } from '@shallot/core';
import { z } from 'zod';

const folder = '/notes';

/** Lists the notes with their headings, which tell a model where to look. */
export const listFiles = defineTool({
  name: 'list_files',
  description: 'Lists the notes of the club: the path and the headings of each file.',
  input: z.object({}),
  effect: 'read',
  async execute(_args, { files }) {
    const entries = await files.list(folder);
    const paths = entries
      .filter(({ kind, path }) => kind === 'file' && path.endsWith('.md'))
      .map(({ path }) => path);
    return Promise.all(
      paths.map(async (path) => ({ path, headings: headingsOf((await files.readText(path)).text) })),
    );
  },
});

/** Reads one note. */
export const readFile = defineTool({
  name: 'read_file',
  description: 'Reads one of the notes that list_files names.',
  input: z.object({ path: z.string().startsWith(`${folder}/`).describe('As list_files gives it') }),
  effect: 'read',
  async execute({ path }, { files }) {
    const { text } = await files.readText(path);
    return text;
  },
});

function headingsOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .map((line) => line.replace(/^#+\s*/, ''));
}
