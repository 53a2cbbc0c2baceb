import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';

import type { JsonObject, JsonValue } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';
import { expect, onTestFinished } from 'vitest';

import { serveAcp, type ServedAgent } from '../src/index.ts';

/** An editor that sends and receives single lines without a protocol library, so that it can also send invalid ones. */
export interface RawEditor {
  /** All messages from the agent. */
  readonly heard: readonly JsonObject[];
  /** Sends a message, or a line unchanged. */
  send(message: JsonObject | string): void;
  /** Sends a request, and returns the agent's answer to it. */
  request(id: number, method: string, params: JsonObject): Promise<JsonObject>;
  /** Waits for a message from the agent that satisfies `isIt`. */
  hear(isIt: (message: JsonObject) => boolean): Promise<JsonObject>;
}

export function speakWith(served: () => ServedAgent): RawEditor {
  const input = new PassThrough();
  const output = new PassThrough();
  const connection = serveAcp({ served, program: { name: 'test', version: '0' }, input, output });
  onTestFinished(() => connection.close());
  const heard: JsonObject[] = [];
  createInterface({ input: output }).on('line', (line) => {
    const value = JSON.parse(line) as JsonValue;
    if (isJsonObject(value)) heard.push(value);
  });
  const send: RawEditor['send'] = (message) => {
    const line = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    input.write(`${line}\n`);
  };
  const hear: RawEditor['hear'] = async (isIt) => {
    await expect.poll(() => heard.some(isIt), { timeout: 20_000 }).toBe(true);
    return heard.find(isIt) ?? {};
  };
  return {
    heard,
    send,
    hear,
    request: (id, method, params) => {
      send({ id, method, params });
      return hear((message) => message['id'] === id && !('method' in message));
    },
  };
}
