// A server of revision 2025-11-25 that requires a page to be visited before it answers: it waits until FILE exists.
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file = ''] = process.argv.slice(2);
const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const elicitations = [{ mode: 'url', message: 'Log in.', url: 'https://log.in/1', elicitationId: '1' }];

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as {
    id?: number;
    method?: string;
    params?: { protocolVersion?: string };
  };
  if (id === undefined) return;
  const result = (value: object): void => send({ id, result: value });
  if (method === 'initialize')
    result({
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'page', version: '1' },
    });
  else if (method === 'tools/list') result({ tools: [{ name: 'call', inputSchema: { type: 'object' } }] });
  else if (method !== 'tools/call') send({ id, error: { code: -32_601, message: 'Method not found' } });
  else if (existsSync(file)) result({ content: [{ type: 'text', text: 'called' }] });
  else send({ id, error: { code: -32_042, message: 'a page has to be visited', data: { elicitations } } });
});
