import { defineTool, type Tool } from '@shallot/core';

export const sentence =
  'The second frame holds eggs and sealed brood, and the queen was seen near its lower edge at noon. ';

/** A tool whose results are about as long as is common in practice: 500 characters. */
export const look: Tool = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => sentence.repeat(5),
});
