import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** The process of an MCP client. It starts `shallot mcp serve` in its directory, calls `ask` and prints the result. */
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
// The argument comes from the test, so its shape is known.
const params = JSON.parse(call) as { readonly arguments: Record<string, string> };
console.log(JSON.stringify(await client.callTool({ name: 'ask', ...params }, { allowInputRequired: true })));
await client.close();
