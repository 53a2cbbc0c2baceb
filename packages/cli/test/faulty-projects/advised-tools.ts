import { advised, rewritten, type AdvisedProject } from './advised-project.ts';
import { toolFile } from './faulty-project.ts';

const reading = { 't.mjs': toolFile('t', "() => 'x'", "effect: 'read'") };
const code = 'PLUGIN_OPTIONS';

const approving = (options: string): string =>
  `plugins:\n  - use: filesystem\n    options: { readOnly: true }\n  - use: hitl\n    options: ${options}\n`;

const approvals: readonly AdvisedProject[] = [
  advised('yes in place of true', approving('{ tools: { read_file: «yes } }'), {
    code,
    plugin: 'hitl',
    fix: 'true',
    obey: { write: 'true' },
  }),
  advised(
    'a decision that is none',
    approving('{ tools: { read_file: { decisions: [approve, «refuse] } } }'),
    { code, plugin: 'hitl', fix: '"reject"', obey: { write: 'reject' } },
  ),
  advised('no decision at all', approving('{ tools: { read_file: { decisions: «[] } } }'), {
    code,
    plugin: 'hitl',
    fix: 'decisions',
    obey: { write: '[approve, reject]' },
  }),
  advised('a misspelt option', approving('{ «tool: { read_file: true } }'), {
    code,
    plugin: 'hitl',
    fix: 'did you mean "tools"?',
    obey: { write: 'tools' },
  }),
  advised('a tool of approvals that is not there', approving('{ tools: { «reed_file: true } }'), {
    code: 'hitl/UNKNOWN_TOOL',
    plugin: 'hitl',
    fix: 'Did you mean "read_file"?',
    obey: rewritten(approving('{ tools: { read_file: true } }')),
  }),
  advised('another name of approvals', 'plugins: [«approvals]\n', {
    code: 'MODULE_NOT_FOUND',
    plugin: 'approvals',
    fix: '"hitl"',
    obey: { write: 'hitl' },
  }),
  advised(
    'pre-approvals of a plugin that is not there',
    approving('{ tools: { read_file: true }, preApprovals: [«shel] }'),
    {
      code: 'hitl/NO_PRE_APPROVALS',
      plugin: 'hitl',
      fix: 'remove it from preApprovals',
      obey: rewritten(approving('{ tools: { read_file: true } }')),
    },
  ),
];

const tools: readonly AdvisedProject[] = [
  advised(
    'a boolean option in small letters',
    'plugins:\n  - use: filesystem\n    options: { «readonly: true }\n',
    { code, plugin: 'filesystem', fix: 'did you mean "readOnly"?', obey: { write: 'readOnly' } },
  ),
  advised(
    'file tools by another name',
    'plugins:\n  - use: «file-system\n    options: { readOnly: true }\n',
    {
      code: 'MODULE_NOT_FOUND',
      plugin: 'file-system',
      fix: '"filesystem"',
      obey: { write: 'filesystem' },
    },
  ),
  advised(
    'two file tools',
    'plugins:\n  - use: filesystem\n    options: { readOnly: true }\n  - use: filesystem\n    id: docs\n    options: «{ readOnly: true }\n',
    {
      code: 'TOOL_DUPLICATE',
      plugin: 'docs',
      at: 'shallot.config.yaml:5:10',
      fix: 'prefix',
      obey: rewritten(
        'plugins:\n  - use: filesystem\n    options: { readOnly: true }\n  - use: filesystem\n    id: docs\n    options: { readOnly: true, prefix: docs_ }\n',
      ),
    },
  ),
  advised(
    'ignored files that are no list',
    'plugins:\n  - use: filesystem\n    options: { readOnly: true, ignore: «secrets/ }\n',
    {
      code,
      plugin: 'filesystem',
      fix: 'write a list',
      obey: { write: '[secrets/]' },
    },
  ),
  advised('hosts that are no list', 'plugins:\n  - use: fetch\n    options: { hosts: «docs.example.com }\n', {
    code,
    plugin: 'fetch',
    fix: 'write a list',
    obey: { write: '[docs.example.com]' },
  }),
  advised(
    'a host with https',
    "plugins:\n  - use: fetch\n    options: { hosts: [«'https://docs.example.com'] }\n",
    {
      code,
      plugin: 'fetch',
      fix: 'write the name of a host',
      obey: { write: 'docs.example.com' },
    },
  ),
  advised(
    'a private address by name',
    'plugins:\n  - use: fetch\n    options: { allowAddresses: [«localhost] }\n',
    {
      code,
      plugin: 'fetch',
      fix: 'write an IP address',
      obey: { write: '127.0.0.1' },
    },
  ),
  advised('no question at all', 'plugins:\n  - use: ask-user\n    options: { maxQuestions: «0 }\n', {
    code,
    plugin: 'ask-user',
    fix: '1',
    obey: { write: '1' },
  }),
  advised(
    'a hidden tool that is not there',
    'plugins:\n  - use: filesystem\n    options: { readOnly: true }\n  - use: toolset\n    options: { hide: [glop] }\n',
    {
      code: 'toolset/UNKNOWN_TOOL',
      plugin: 'toolset',
      at: 'shallot.config.yaml:5:10',
      fix: 'Did you mean "glob"?',
      obey: rewritten(
        'plugins:\n  - use: filesystem\n    options: { readOnly: true }\n  - use: toolset\n    options: { hide: [glob] }\n',
      ),
    },
  ),
  advised('tools that are no list', 'tools: «./t.mjs\n', {
    files: reading,
    code: 'CONFIG_INVALID',
    fix: 'write a list',
    obey: { write: '[./t.mjs]' },
  }),
  advised('a path of a tool without a dot', 'tools: [«t.mjs]\n', {
    files: reading,
    code: 'MODULE_NOT_FOUND',
    fix: '"./t.mjs"',
    obey: { write: './t.mjs' },
  }),
  advised('a name of a tool with a blank', 'tools: [./t.mjs]\n', {
    files: { 't.mjs': toolFile('t', "() => 'x'", "effect: 'read', name: 'my tool'") },
    code: 'TOOL_INVALID',
    at: 't.mjs:2:',
    fix: 'letters',
    obey: { files: reading },
  }),
];

const shell: readonly AdvisedProject[] = [
  advised(
    'another name of the shell',
    'plugins:\n  - use: «bash\n    options: { unattended: true }\n  - use: hitl\n    options: { tools: { shell: true } }\n',
    {
      code: 'MODULE_NOT_FOUND',
      plugin: 'bash',
      fix: '"shell"',
      obey: { write: 'shell' },
    },
  ),
  advised('a shell that nobody is asked about', 'plugins:\n  - use: «shell\n', {
    code: 'shell/NOT_ASKED',
    plugin: 'shell',
    fix: 'tools: { shell: true }',
    obey: rewritten('plugins:\n  - use: shell\n  - use: hitl\n    options: { tools: { shell: true } }\n'),
  }),
  ...[
    ['allowed lines that are no list', "allow: «'git status*'", 'write a list', "['git status*']"],
    ['a sandbox that is a word', 'sandbox: «bwrap', 'command', '{ command: [env] }'],
    ['a time limit in words', 'timeoutMs: «1m', 'number', '60000'],
  ].map(([fault = '', option = '', fix = '', write = '']) =>
    advised(
      fault,
      `plugins:\n  - use: hitl\n    options: { tools: { shell: true } }\n  - use: shell\n    options: { ${option} }\n`,
      { code, plugin: 'shell', fix, obey: { write } },
    ),
  ),
  advised(
    'a program of the shell that is not there',
    'plugins:\n  - use: hitl\n    options: { tools: { shell: true } }\n  - use: shell\n    options: { program: «/bin/nosuchsh }\n',
    { code, plugin: 'shell', fix: 'such as /bin/sh', obey: { write: '/bin/sh' } },
  ),
];

const skill = '---\nname: hives\ndescription: How to open a hive.\n---\nGently.\n';
const knowledge: readonly AdvisedProject[] = [
  advised(
    'skills in a folder that is not there',
    'plugins:\n  - use: skills\n    options: { sources: [/skill] }\n',
    {
      files: { 'skills/hives/SKILL.md': skill },
      args: ['run', 'hi'],
      status: 0,
      code: 'skills/SKIPPED',
      at: '/skill',
      fix: 'it contains no skill',
      obey: rewritten('plugins:\n  - use: skills\n    options: { sources: [/skills] }\n'),
    },
  ),
  advised(
    'sources of skills that are no list',
    'plugins:\n  - use: skills\n    options: { sources: «/skills }\n',
    {
      files: { 'skills/hives/SKILL.md': skill },
      code,
      plugin: 'skills',
      fix: 'write a list',
      obey: { write: '[/skills]' },
    },
  ),
  advised('a skill without a description', 'plugins: [skills]\n', {
    files: { 'skills/hives/SKILL.md': '---\nname: hives\n---\nGently.\n' },
    args: ['run', 'hi'],
    status: 0,
    code: 'skills/SKIPPED',
    at: '/skills/hives/SKILL.md',
    fix: 'description',
    obey: { files: { 'skills/hives/SKILL.md': skill } },
  }),
  advised('a memory that is not there', 'plugins:\n  - use: memory\n    options: { sources: [AGENT.md] }\n', {
    files: { 'AGENTS.md': 'Be kind.' },
    args: ['run', 'hi'],
    status: 0,
    code: 'memory/NOT_FOUND',
    at: '/AGENT.md',
    fix: 'fix "sources"',
    obey: rewritten('plugins:\n  - use: memory\n    options: { sources: [AGENTS.md] }\n'),
  }),
  advised('a misspelt option of memory', 'plugins:\n  - use: memory\n    options: { «writeable: false }\n', {
    files: { 'AGENTS.md': 'Be kind.' },
    code,
    plugin: 'memory',
    fix: 'did you mean "writable"?',
    obey: { write: 'writable' },
  }),
  advised(
    'a memory that a model may write, and nobody approves',
    'plugins:\n  - use: «memory\n    options: { writable: true }\n',
    {
      files: { 'AGENTS.md': 'Be kind.' },
      status: 0,
      code: 'TOOL_UNAPPROVED',
      plugin: 'memory',
      fix: 'edit_memory',
      obey: rewritten(
        'plugins:\n  - use: memory\n    options: { writable: true }\n  - use: hitl\n    options: { tools: { edit_memory: true } }\n',
      ),
    },
  ),
];

export const advisedTools: readonly AdvisedProject[] = [...approvals, ...tools, ...shell, ...knowledge];
