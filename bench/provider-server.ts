import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider on loopback that answers each request at once, with the same streamed text. */
export interface ProviderServer {
  readonly url: string;
  /** The time, by `performance.now()`, at which the last request had arrived. */
  readonly askedAt: number;
  readonly answeredAt: number;
  close(): void;
}

const text = 'As far as you like.';
const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5-mini',
  status: 'completed',
};
const content = { type: 'output_text', text, annotations: [], logprobs: [] };
const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

/** The events of OpenAI's Responses API for one answer. */
const events = [
  { type: 'response.created', response: { ...response, status: 'in_progress' } },
  { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
  ...text.split(/(?<= )/).map((delta) => ({
    type: 'response.output_text.delta',
    item_id: item.id,
    output_index: 0,
    content_index: 0,
    delta,
  })),
  { type: 'response.output_item.done', output_index: 0, item: { ...item, content: [content] } },
  {
    type: 'response.completed',
    response: { ...response, output: [{ ...item, content: [content] }], usage },
  },
];
const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

export async function startProviderServer(): Promise<ProviderServer> {
  let [askedAt, answeredAt] = [0, 0];
  const server = createServer((request, reply) => {
    request.resume().once('end', () => {
      askedAt = performance.now();
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.end(body, () => (answeredAt = performance.now()));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get askedAt() {
      return askedAt;
    },
    get answeredAt() {
      return answeredAt;
    },
    close: () => void server.close(),
  };
}
