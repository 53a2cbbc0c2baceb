import type { Workload } from './workload.ts';

/** The tool that every subject has. Its argument counts the steps, so that the model needs no memory of its own. */
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
 * Returns the scripted model's next step: the number to call the tool with, or `undefined` for the answer. `reached` is the
 * number in the last tool result, 0 when the last message is the user's.
 */
export function nextCount(reached: number, { steps }: Workload): number | undefined {
  return reached < steps ? reached + 1 : undefined;
}

/** The number in a tool result, which is the number alone or JSON that begins with it. */
export function numberIn(text: string): number {
  return Number.parseInt(text.startsWith('{"n":') ? text.slice(5, 20) : text);
}

/** JSON of about `length` characters, as a service would answer with it. */
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

/** Text number `index` of a session's history; even ones are the user's, odd ones the assistant's. */
export function historyText(index: number): string {
  return `Message ${index} of a conversation about onions, as long as a short line of chat usually is.`;
}

/** Lets the event loop turn once. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
