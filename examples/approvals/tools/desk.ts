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
    return `wrote ${path}`;
  },
});

/** Deletes a file. */
export const deleteFile = defineTool({
  name: 'delete_file',
  description: 'Deletes a file.',
  input: z.object({ path: z.string() }),
  async execute({ path }, { files }) {
    return (await files.remove(path)) ? `deleted ${path}` : `there is no ${path}`;
  },
});
