import { defineTool } from '@shallot/core';
import { z } from 'zod';

/** Buys something. Buying it twice costs twice. */
export const buy = defineTool({
  name: 'buy',
  description: 'Buys something for the garden.',
  input: z.object({ what: z.string() }),
  async execute({ what }, { files }) {
    await files.append('/bought.txt', `${what}\n`);
    return `bought ${what}`;
  },
});
