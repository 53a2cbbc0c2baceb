// A server that asks one question, in the way that the argument `how` of its tool `ask` names.
import { inputRequired, McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const form = (...names: readonly string[]) => ({
  method: 'elicitation/create' as const,
  params: {
    message: `Tell me ${names.join(', ')}.`,
    requestedSchema: {
      type: 'object' as const,
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    },
  },
});
const page = (url: string) => ({
  method: 'elicitation/create' as const,
  params: { mode: 'url' as const, message: 'Go there.', url, elicitationId: '1' },
});

const requests: Readonly<Record<string, object>> = {
  password: { q: form('password') },
  sampling: { q: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } },
  page: { q: page('https://pay.example/1') },
  script: { q: page('javascript:alert(1)') },
  unreadable: {
    q: {
      method: 'elicitation/create',
      params: { message: 'x', requestedSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } },
    },
  },
  mixed: { q: form('password'), r: form('a') },
  two: { first: form('a'), second: form('b') },
};

serveStdio(() => {
  const server = new McpServer({ name: 'asking', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool(
    'ask',
    { description: 'Asks.', inputSchema: z.object({ how: z.string() }) },
    ({ how }, context) => {
      const { inputResponses, requestState } = context.mcpReq;
      if (how === 'for-ever') return inputRequired({ requestState: 'again' });
      if (how === 'stale-state') {
        if (requestState() !== undefined) throw new ProtocolError(-32_602, 'the requestState has expired');
        return inputRequired({ requestState: 'old' });
      }
      if (inputResponses !== undefined) {
        const answers = Object.values(inputResponses).map((each) => JSON.stringify(each));
        return { content: [{ type: 'text', text: `answered ${answers.join(' ')}` }] };
      }
      return { resultType: 'input_required', inputRequests: requests[how] } as never;
    },
  );
  return server;
});
