import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** A client's process: starts `shallot mcp serve` in its directory, calls `ask`, and prints what comes back. */
const [command = '', call = '{}'] = process.argv.slice(2);
const client = new Client(
  { name: 'process', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    inputRequired: { autoFulfill: false },
  },
);
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: [command, 'mcp', 'serve'], stderr: 'inherit' }),
);
// The test writes it.
const params = JSON.parse(call) as { readonly arguments: Record<string, string> };
console.log(JSON.stringify(await client.callTool({ name: 'ask', ...params }, { allowInputRequired: true })));
await client.close();
