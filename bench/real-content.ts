import { defineTool, type Tool } from '@shallot/core';

export const sentence =
  'The second frame holds eggs and sealed brood, and the queen was seen near its lower edge at noon. ';

/** A tool whose results have the length of many in practice: some 500 characters. */
export const look: Tool = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => sentence.repeat(5),
});
