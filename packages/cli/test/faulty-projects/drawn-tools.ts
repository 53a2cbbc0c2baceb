import { advised, rewritten, type AdvisedProject } from './advised-project.ts';
import { workingServer } from './advised-servers.ts';

/**
 * Mistakes that a reader of the guides might make in tools, servers, memory and skills. They were found from the guides
 * alone.
 */
export const drawnTools: readonly AdvisedProject[] = [
  advised(
    'a server of MCP has a misspelt key',
    `plugins:
  - use: mcp
    options:
      servers:
        files: { «comand: npx, args: [-y, notes-server] }
`,
    { code: 'PLUGIN_OPTIONS', plugin: 'mcp', fix: 'did you mean "command"?', obey: workingServer },
  ),
  advised(
    'the program of a server does not exist',
    `plugins:
  - use: mcp
    options:
      servers:
        «files: { command: no-such-notes-server }
`,
    {
      code: 'mcp/SERVER_FAILED',
      plugin: 'mcp',
      fix: 'Install it, or write its whole path as command',
      obey: workingServer,
    },
  ),
  advised(
    'the address of a server has no scheme',
    `plugins:
  - use: mcp
    options:
      servers:
        issues: { url: «mcp.example.com/mcp, optional: true }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'mcp',
      fix: 'write a URL that begins with https:// or http://.',
      obey: workingServer,
    },
  ),
  advised(
    'the list of servers is not there',
    `plugins:
  - use: mcp
    options: { mcpJson: .mcp.json }
`,
    {
      code: 'mcp/CONFIG_INVALID',
      plugin: 'mcp',
      fix: 'Write its path relative to the config, or remove mcpJson',
      obey: { files: { '.mcp.json': '{ "mcpServers": {} }' } },
      at: '.mcp.json',
    },
  ),
  advised(
    'sources of memory are one name, not a list',
    `plugins:
  - use: memory
    options: { sources: «AGENTS.md }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'memory',
      fix: 'write a list of at least 1, each the path of a file.',
      obey: { write: '[AGENTS.md]' },
      files: { 'AGENTS.md': 'Be kind.' },
    },
  ),
  advised(
    'a size with its unit',
    `plugins:
  - use: memory
    options: { maxBytes: «'32 KiB' }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'memory',
      fix: 'write a whole number of at least 256 and at most 1048576.',
      obey: { write: '32768' },
    },
  ),
  advised(
    'a template without its place',
    `plugins:
  - use: memory
    options: { template: «'<known></known>' }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'memory',
      fix: 'put it where the files should go.',
      obey: { write: "'<known>{memory}</known>'" },
    },
  ),
  advised(
    'a fraction is written as percent',
    `plugins:
  - use: summarization
    options: { trigger: { fraction: «70 } }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'summarization',
      fix: 'write a number above 0 and at most 1.',
      obey: rewritten(`plugins:
  - use: summarization
    options: { trigger: { tokens: 70000 } }
`),
    },
  ),
  advised(
    'more is kept than sets off a summary',
    `plugins:
  - use: «summarization
    options: { trigger: { messages: 10 }, keep: { messages: 20 } }
`,
    {
      code: 'summarization/KEEP_TOO_LARGE',
      plugin: 'summarization',
      fix: 'Make keep smaller than each trigger, for example half of it.',
      obey: rewritten(`plugins:
  - use: summarization
    options: { trigger: { messages: 10 }, keep: { messages: 5 } }
`),
    },
  ),
  advised(
    'skills are outside of the files',
    `plugins:
  - use: skills
    options: { sources: [«../skills] }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'skills',
      fix: 'write a directory below the root, such as "/skills".',
      files: { 'skills/tea/SKILL.md': '---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n' },
      obey: { write: '/skills' },
    },
  ),
  advised(
    'a subagent without a description',
    `plugins:
  - use: subagents
    options:
      agents:
        - «name: reader
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'subagents',
      fix: 'write a string.',
      obey: rewritten(`plugins:
  - use: hitl
    options: { tools: { '*': true } }
  - use: subagents
    options:
      agents:
        - { name: reader, description: Reads. }
`),
    },
  ),
  advised(
    'a subagent with a tool that does not exist',
    `plugins:
  - filesystem
  - use: hitl
    options: { tools: { '*': true } }
  - use: «subagents
    options:
      agents:
        - { name: reader, description: Reads., tools: [read_fiel] }
`,
    {
      code: 'subagents/UNKNOWN_TOOL',
      plugin: 'subagents',
      fix: 'For a tool that is added later, use a pattern such as "read_fiel*".',
      obey: rewritten(`plugins:
  - filesystem
  - use: hitl
    options: { tools: { '*': true } }
  - use: subagents
    options:
      agents:
        - { name: reader, description: Reads., tools: [read_file] }
`),
    },
  ),
  advised(
    'two subagents of one name',
    `plugins:
  - use: hitl
    options: { tools: { '*': true } }
  - use: «subagents
    options:
      agents:
        - { name: reader, description: Reads. }
        - { name: reader, description: Reads more. }
`,
    {
      code: 'subagents/AGENT_DUPLICATE',
      plugin: 'subagents',
      fix: 'Rename one, or remove one.',
      obey: rewritten(`plugins:
  - use: hitl
    options: { tools: { '*': true } }
  - use: subagents
    options:
      agents:
        - { name: reader, description: Reads. }
        - { name: writer, description: Reads more. }
`),
    },
  ),
  advised(
    'a host with its scheme',
    `plugins:
  - use: fetch
    options: { hosts: [«https://docs.example.com/] }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'fetch',
      fix: 'write the name of a host, in which * stands for any characters.',
      obey: { write: 'docs.example.com' },
    },
  ),
  advised(
    'an address that is none, as in the guides',
    `plugins:
  - use: fetch
    options: { hosts: [docs.example.com], allowAddresses: [«10.0.0.0/40] }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'fetch',
      fix: 'write an IP address, or a range such as 10.0.0.0/8.',
      obey: { write: '10.0.0.0/8' },
    },
  ),
  advised(
    'read-only is misspelt',
    `plugins:
  - use: filesystem
    options: { «readonly: true }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'filesystem',
      fix: 'did you mean "readOnly"?',
      obey: { write: 'readOnly' },
    },
  ),
  advised(
    'a level of a trace does not exist',
    `plugins:
  - use: telemetry
    options:
      log: { runs: «verbose }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'telemetry',
      fix: 'write false, "trace", "debug", "info", "warn", "error" or "fatal".',
      obey: { write: 'info' },
    },
  ),
  advised(
    'what is unlocked is one name, not a list',
    `plugins: [hitl]
unlock: «.env
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'write a list, each the name of protected files, or a path that begins ',
      obey: { write: "['.env*']" },
    },
  ),
];
