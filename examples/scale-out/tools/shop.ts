import { setTimeout as delay } from 'node:timers/promises';

import { defineTool, type JsonValue, type ToolContext } from '@shallot/core';
import { z } from 'zod';

import { writeEntry } from '../ledger.ts';

/** The duration of each tool, in milliseconds, long enough that some are running when a worker is killed. */
const toolMs = Number(process.env['TOOL_MS'] ?? 300);

// All three tools are `idempotent`: if the process dies before the result of a call is recorded, the call is executed
// again. If something must happen only once, leave that to the service that does it, and pass it the call's
// `idempotencyKey`.

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
  // Lets a kill come after the effect but before the result is recorded.
  await delay(toolMs, undefined, { signal });
  return { done, entry };
}
