import { createInterface, type Interface } from 'node:readline';

import { isShallotError, type Agent, type JsonValue, type MessageInput } from '@shallot/core';
import { messageOf, isJsonObject } from '@shallot/core/plugin';
import type { SendOptions } from '@shallot/core/work';

import type { Io } from '../terminal/io.ts';

/** A line that had no effect: its number, counted from 1, and the reason. */
export interface RefusedLine {
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

export interface LineSending {
  readonly agent: Agent;
  readonly sessionId: string;
  readonly onRefused: (refused: RefusedLine) => void;
}

/** The request of a line. */
type Order =
  | { readonly send: string | MessageInput; readonly options: SendOptions }
  | { readonly unsend: string };

/**
 * Sends the lines of a stream to the run of a session, one after the other: `{ "message": … }` with `id`, `when` and `by`, or
 * `{ "unsend": id }`. Returns a function that stops reading.
 */
export function sendLines(stdin: Io['stdin'], sending: LineSending): () => void {
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
  void sendEach(lines, sending);
  return () => lines.close();
}

async function sendEach(lines: Interface, { agent, sessionId, onRefused }: LineSending): Promise<void> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    try {
      const order = orderIn(line);
      if ('send' in order) await agent.send(sessionId, order.send, order.options);
      else if (!(await agent.unsend(sessionId, order.unsend)))
        throw new Error(`The message "${order.unsend}" was taken before, or was never sent.`);
    } catch (error) {
      const code = isShallotError(error) ? error.code : 'INPUT_LINE';
      onRefused({ line: number, code, message: messageOf(error) });
    }
  }
}

const form = 'Write {"message": "…"}, with "id", "when" and "by" if you like, or {"unsend": "<id>"}.';

function orderIn(line: string): Order {
  const value = parse(line);
  if (!isJsonObject(value)) throw new Error(`It is not a JSON object. ${form}`);
  const { message, id, unsend, ...options } = value;
  if (message === undefined && typeof unsend === 'string') return { unsend };
  if (message === undefined) throw new Error(`It has no "message". ${form}`);
  // The agent checks the message and the options, and reports what is wrong with them.
  const send = id === undefined ? message : { role: 'user', content: message, id };
  return { send: send as string | MessageInput, options };
}

function parse(line: string): JsonValue {
  try {
    return JSON.parse(line) as JsonValue;
  } catch (error) {
    throw new Error(`It is not JSON (${messageOf(error)}). ${form}`, { cause: error });
  }
}
