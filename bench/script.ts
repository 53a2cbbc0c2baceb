import type { Workload } from './workload.ts';

/** The tool that every subject has. Its argument counts the steps, so that the model need not keep any state. */
export const countTool = {
  name: 'count',
  description: 'Gives its number back.',
  schema: {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
    additionalProperties: false,
  },
} as const;

export const question = 'How far can you count?';
export const answer = 'As far as you like.';
/** The text of each streamed chunk. */
export const chunkText = 'shallot ';
export const instructions = 'Count.';

/**
 * Returns the scripted model's next step: the number to call the tool with, or `undefined` for the answer. `reached` is
 * the number in the last tool result, or 0 if the last message is the user's.
 */
export function nextCount(reached: number, { steps }: Workload): number | undefined {
  return reached < steps ? reached + 1 : undefined;
}

/** Returns the number in a tool result, which is either only a number or JSON that begins with it. */
export function numberIn(text: string): number {
  return Number.parseInt(text.startsWith('{"n":') ? text.slice(5, 20) : text);
}

/** Returns about `length` characters of JSON, such as a service would answer with. */
export function rowsText(length: number): string {
  const rows: unknown[] = [];
  for (let made = 0; made < length; made += 100) {
    rows.push({
      id: made,
      name: `row ${made}`,
      tags: ['red', 'ripe'],
      price: { amount: made / 4, unit: 'EUR' },
    });
  }
  return JSON.stringify(rows);
}

/** A message that a layer adds to a request. */
export const note = 'Onions are peeled from the outside.';

/**
 * Returns the text of message `index` of a session's history. Even indexes are the user's, odd ones the assistant's.
 */
export function historyText(index: number): string {
  return `Message ${index} of a conversation about onions, as long as a short line of chat usually is.`;
}

/** Resolves after one turn of the event loop. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
