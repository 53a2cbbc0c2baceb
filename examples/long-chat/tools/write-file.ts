import { defineTool } from '@shallot/core';
import { z } from 'zod';

/** Writes a whole file. Doing so twice has the same effect as once. */
export const writeFile = defineTool({
  name: 'write_file',
  description: 'Writes a file.',
  input: z.object({ path: z.string(), content: z.string() }),
  effect: 'idempotent',
  async execute({ path, content }, { files }) {
    await files.write(path, content);
    return `wrote ${content.split(' ').length} words to ${path}`;
  },
});
