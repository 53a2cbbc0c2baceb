// A server that asks for a reader's card before it returns a resource or a prompt, and writes everything that it
// receives to a file: `node library-server.ts FILE`.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';

import { inputRequired, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [file = ''] = process.argv.slice(2);

/** Returns the question to ask first; undefined once it was answered. */
function asksFirst({ mcpReq }: ServerContext) {
  const { inputResponses, requestState } = mcpReq;
  const state: unknown = requestState();
  appendFileSync(file, `${JSON.stringify({ state, inputResponses })}\n`);
  if (inputResponses !== undefined) return undefined;
  const next = ` ${randomUUID()}\t"ä\u2028 `;
  const key = `card ${randomUUID()}`;
  appendFileSync(file, `${JSON.stringify({ asks: key, state: next })}\n`);
  const question = inputRequired.elicit({
    message: 'Which reader are you?',
    requestedSchema: { type: 'object', properties: { reader: { type: 'string' } }, required: ['reader'] },
  });
  return inputRequired({ inputRequests: { [key]: question }, requestState: next });
}

serveStdio(() => {
  const server = new McpServer(
    { name: 'library', version: '1.0.0' },
    { capabilities: { resources: {}, prompts: {} } },
  );
  server.registerResource(
    'book',
    'book://1',
    {},
    (uri, context) => asksFirst(context) ?? { contents: [{ uri: uri.href, text: 'Once upon a time.' }] },
  );
  server.registerPrompt(
    'review',
    {},
    (context) =>
      asksFirst(context) ?? {
        messages: [{ role: 'user', content: { type: 'text', text: 'Review it.' } }],
      },
  );
  return server;
});
