// A server that asks three questions before it books, and writes everything that it receives to a file: `node
// booking-server.ts FILE`.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';

import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [file = ''] = process.argv.slice(2);
const questions = ['when', 'who', 'sure'] as const;

serveStdio(() => {
  const server = new McpServer({ name: 'booking', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool(
    'book',
    {
      description: 'Books.',
      inputSchema: z.object({ what: z.string() }),
      outputSchema: z.object({ booked: z.string() }),
    },
    ({ what }, context) => {
      const { inputResponses, requestState } = context.mcpReq;
      const state: unknown = requestState();
      appendFileSync(file, `${JSON.stringify({ what, state, inputResponses })}\n`);
      const refused = Object.values(inputResponses ?? {}).find(
        (each) => !JSON.stringify(each).includes('"accept"'),
      );
      if (refused !== undefined)
        return { content: [{ type: 'text', text: `refused: ${JSON.stringify(refused)}` }], isError: true };
      const round = typeof state === 'string' ? Number(/round (\d)/.exec(state)?.[1]) : 0;
      const question = questions[round];
      if (question === undefined) {
        appendFileSync(file, 'booked\n');
        return { content: [{ type: 'text', text: `booked ${what}` }], structuredContent: { booked: what } };
      }
      // New values each time, with characters that JSON and other encodings tend to change.
      const key = `${question} ${randomUUID()}`;
      const next = ` ${randomUUID()} round ${round + 1}\t"ä\u2028👋\\u0041\u0000 `;
      appendFileSync(file, `${JSON.stringify({ asks: key, state: next })}\n`);
      return inputRequired({
        inputRequests: {
          [key]: inputRequired.elicit({
            message: `Tell me ${question}.`,
            requestedSchema: {
              type: 'object',
              properties: { [question]: { type: 'string' }, note: { type: 'string', default: 'none' } },
              required: [question],
            },
          }),
        },
        requestState: next,
      });
    },
  );
  return server;
});
