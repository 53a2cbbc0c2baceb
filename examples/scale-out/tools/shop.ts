import { setTimeout as delay } from 'node:timers/promises';

import { defineTool, type JsonValue, type ToolContext } from '@shallot/core';
import { z } from 'zod';

import { writeEntry } from '../ledger.ts';

/** The time that each takes, in milliseconds, so that workers are killed in the middle of some. */
const toolMs = Number(process.env['TOOL_MS'] ?? 300);

// All three are `idempotent`: a call whose process died before the result was recorded is executed again. Anything that must
// happen only once is left to the service that does it: give it the call's `idempotencyKey`.

export const reserve = defineTool({
  name: 'reserve',
  description: 'Reserves items in stock.',
  input: z.object({ item: z.string(), count: z.int() }),
  effect: 'idempotent',
  execute: ({ item, count }, context) => perform(`reserved ${count} × ${item}`, context),
});

export const charge = defineTool({
  name: 'charge',
  description: "Charges the customer's card.",
  input: z.object({ euros: z.number() }),
  effect: 'idempotent',
  execute: ({ euros }, context) => perform(`charged ${euros} euros`, context),
});

export const ship = defineTool({
  name: 'ship',
  description: 'Hands the parcel to the post office.',
  input: z.object({ items: z.array(z.string()) }),
  effect: 'idempotent',
  execute: ({ items }, context) => perform(`shipped ${items.join(' and ')}`, context),
});

async function perform(done: string, { files, run, call, signal }: ToolContext): Promise<JsonValue> {
  const entry = await writeEntry(files, { sessionId: run.sessionId, callId: call.id, done });
  // A kill comes after the effect, and before the result is on record.
  await delay(toolMs, undefined, { signal });
  return { done, entry };
}
