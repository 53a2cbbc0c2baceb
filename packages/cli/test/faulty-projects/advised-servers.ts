import { advised, rewritten, type AdvisedProject } from './advised-project.ts';
import type { Obedience } from './faulty-project.ts';

/** The source of an MCP server with one tool, which only reads. */
const server = `
import { createInterface } from 'node:readline';
const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answers = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    'tools/list': { tools },
    ping: {},
  };
  const answer = answers[method];
  const rest = answer ? { result: answer } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...rest }) + '\\n');
}
`;

const files = { 'server.mjs': server };

const place = 'shallot.config.yaml:';
const asking = "plugins:\n  - use: hitl\n    options: { tools: { '*': true } }\n";

const withServers = (servers: string, options = ''): string =>
  `${asking}  - use: mcp\n    options:\n      ${options}servers:\n        ${servers}\n`;

const good = rewritten(withServers('bees: { command: node, args: [server.mjs] }'));

/** Mends a project: writes a config with a server that starts, and the program of that server. */
export const workingServer: Obedience = {
  files: {
    ...files,
    'shallot.config.yaml': `model: offline\n${withServers('bees: { command: node, args: [server.mjs] }')}`,
  },
};

/** Returns a project with a server that does not start. */
function broken(
  fault: string,
  entry: string,
  fix: string,
  more: Partial<AdvisedProject> = {},
): AdvisedProject {
  return advised(fault, withServers(`«bees: ${entry}`), {
    code: 'mcp/SERVER_FAILED',
    plugin: 'mcp',
    fix,
    obey: good,
    ...more,
    files: { ...files, ...more.files },
  });
}

export const advisedServers: readonly AdvisedProject[] = [
  broken(
    'a server whose program is not there',
    '{ command: nosuchcmd }',
    'is not installed, or not on the PATH',
  ),
  broken(
    'a server whose arguments stand in its command',
    "{ command: 'node server.mjs' }",
    'args: [server.mjs]',
  ),
  broken(
    'a server that ends at once',
    '{ command: node, args: [-e, \'console.error("no honey"); process.exit(3)\'] }',
    'no honey',
  ),
  broken('a server whose file is not there', '{ command: node, args: [gone.mjs] }', 'gone.mjs'),
  broken(
    'a server that says nothing',
    "{ command: node, args: [-e, 'setInterval(() => {}, 1000)'], startTimeoutMs: 300 }",
    'raise startTimeoutMs',
    { code: 'mcp/TIMEOUT' },
  ),
  broken(
    'a server that writes what is no message',
    '{ command: node, args: [-e, \'console.log("hello"); process.stdin.resume()\'], startTimeoutMs: 2000 }',
    'raise startTimeoutMs',
    { code: 'mcp/TIMEOUT' },
  ),
  broken('a server at a port where nobody listens', '{ url: http://127.0.0.1:1/mcp }', 'did not start'),
  broken(
    'a folder of a server that is not there',
    '{ command: node, args: [server.mjs], cwd: ./gone }',
    'Correct cwd',
  ),
  advised('an address that is none', withServers('bees: { url: «mcp.example.com/mcp }'), {
    files,
    code: 'PLUGIN_OPTIONS',
    plugin: 'mcp',
    fix: 'https://',
    obey: good,
  }),
  advised('servers as a list', `${asking}  - use: mcp\n    options: { servers: «[{ command: node }] }\n`, {
    files,
    code: 'PLUGIN_OPTIONS',
    plugin: 'mcp',
    fix: 'write an object',
    obey: { write: '{ bees: { command: node, args: [server.mjs] } }' },
  }),
  advised('a server without command and url', withServers('bees: { args: [server.mjs] }'), {
    files,
    code: 'mcp/CONFIG_INVALID',
    at: place,
    plugin: 'mcp',
    fix: 'it has no command and no url; write one of them',
    obey: good,
  }),
  advised('arguments of a server in one word', withServers('bees: { command: node, args: «server.mjs }'), {
    files,
    code: 'PLUGIN_OPTIONS',
    plugin: 'mcp',
    fix: 'write a list',
    obey: { write: '[server.mjs]' },
  }),
  advised(
    'a variable of a server that is not set',
    withServers('bees: { command: node, args: [server.mjs], env: { BEE_KEY: «{ $env: BEE_KEY } } }'),
    { files, code: 'CONFIG_ENV', fix: 'BEE_KEY', obey: { files: { '.env': 'BEE_KEY=k\n' } } },
  ),
  advised(
    'a number in the environment of a server',
    withServers('bees: { command: node, args: [server.mjs], env: { HIVES: «5 } }'),
    { files, code: 'PLUGIN_OPTIONS', plugin: 'mcp', fix: 'write a string', obey: { write: '"5"' } },
  ),
  advised(
    'a tool of a server that is not there',
    withServers('bees: { command: node, args: [server.mjs], include: [loook] }'),
    { files, status: 1, code: 'mcp/TOOL', plugin: 'mcp', at: place, fix: 'Its tools: look', obey: good },
  ),
  advised(
    'a list of servers that is not there',
    `${asking}  - use: mcp\n    options: { mcpJson: .mcp.json }\n`,
    {
      files,
      code: 'mcp/CONFIG_INVALID',
      plugin: 'mcp',
      at: '.mcp.json',
      fix: 'no such file',
      obey: {
        files: { '.mcp.json': '{ "mcpServers": { "bees": { "command": "node", "args": ["server.mjs"] } } }' },
      },
    },
  ),
  advised(
    'a list of servers that cannot be parsed',
    `${asking}  - use: mcp\n    options: { mcpJson: .mcp.json }\n`,
    {
      files: { ...files, '.mcp.json': '{\n  "mcpServers": {\n    "bees": { "command": "node" },\n  }\n}' },
      code: 'mcp/CONFIG_INVALID',
      plugin: 'mcp',
      at: '.mcp.json',
      fix: '(line 4 column 3)',
      obey: {
        files: { '.mcp.json': '{ "mcpServers": { "bees": { "command": "node", "args": ["server.mjs"] } } }' },
      },
    },
  ),
  advised('no server at all', `${asking}  - use: «mcp\n`, {
    files,
    status: 0,
    code: 'mcp/NO_SERVERS',
    plugin: 'mcp',
    fix: 'Name one under "servers"',
    obey: good,
  }),
];
