import { advised, rewritten, type AdvisedProject } from './advised-project.ts';

/**
 * Mistakes that a reader of the guides might make in approvals, rules and limits. They were found from the guides
 * alone.
 */
export const drawnGuards: readonly AdvisedProject[] = [
  advised(
    'the policy of approvals names a misspelt tool',
    `plugins:
  - filesystem
  - use: hitl
    options:
      tools: { «write_flie: true, edit_file: true, delete_file: true }
`,
    {
      code: 'hitl/UNKNOWN_TOOL',
      plugin: 'hitl',
      fix: 'For a tool that is added later, use a pattern such as "write_flie*".',
      obey: { write: 'write_file' },
    },
  ),
  advised(
    'a decision is misspelt',
    `plugins:
  - filesystem
  - use: hitl
    options:
      tools: { '*': true, write_file: { decisions: [«aprove, reject] } }
`,
    { code: 'PLUGIN_OPTIONS', plugin: 'hitl', fix: 'did you mean "approve"?', obey: { write: 'approve' } },
  ),
  advised(
    'permissions without a plugin that asks',
    `«permissions:
  allow: [read]
plugins: [filesystem]
`,
    {
      code: 'PERMISSIONS_UNHEEDED',
      fix: 'Add an approval plugin, such as hitl, to its plugins.',
      obey: rewritten(`permissions:
  allow: [read]
plugins: [filesystem, hitl]
`),
    },
  ),
  advised(
    'a rule stands in two lists',
    `permissions:
  allow: [read, «'edit(src/**)']
  deny: ['edit(src/**)']
plugins: [filesystem, hitl]
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'remove it from one of them.',
      obey: rewritten(`permissions:
  allow: [read]
  deny: ['edit(src/**)']
plugins: [filesystem, hitl]
`),
    },
  ),
  advised(
    'a rule without its closing bracket',
    `permissions:
  allow: [read, «'edit(src/**']
plugins: [filesystem, hitl]
`,
    {
      code: 'CONFIG_INVALID',
      fix: 'write a tool and a pattern of its argument, such as "edit(src/**)", or',
      obey: { write: "'edit(src/**)'" },
    },
  ),
  advised(
    'a rule for a misspelt word',
    `permissions:
  allow: [read, 'edti(src/**)']
plugins: [filesystem, «hitl]
`,
    {
      code: 'hitl/UNKNOWN_TOOL',
      plugin: 'hitl',
      fix: 'For a tool that is added later, use a pattern such as "edti*".',
      obey: rewritten(`permissions:
  allow: [read, 'edit(src/**)']
plugins: [filesystem, hitl]
`),
    },
  ),
  advised(
    'the widest mode is misspelt',
    `permissions:
  allow: [read]
  maxMode: «edit
plugins: [filesystem, hitl]
`,
    { code: 'CONFIG_INVALID', fix: 'did you mean "edits"?', obey: { write: 'edits' } },
  ),
  advised(
    'the default of permissions is none of the three',
    `permissions:
  allow: [read]
  default: «refuse
plugins: [filesystem, hitl]
`,
    { code: 'CONFIG_INVALID', fix: 'write "deny", "ask" or "allow".', obey: { write: 'deny' } },
  ),
  advised(
    'a shell that nobody is asked about, as in the guides',
    `plugins:
  - «shell
`,
    {
      code: 'shell/NOT_ASKED',
      plugin: 'shell',
      fix: 'true }), or set unattended: true.',
      obey: rewritten(`plugins:
  - shell
  - use: hitl
    options: { tools: { shell: true } }
`),
    },
  ),
  advised(
    'tests are let through without a sandbox',
    `plugins:
  - use: «shell
    options:
      allow: [reading, testing]
  - use: hitl
    options: { tools: { shell: true }, preApprovals: [shell] }
`,
    {
      code: 'shell/TESTING',
      plugin: 'shell',
      fix: 'trusted if the model may do what your account can.',
      obey: rewritten(`plugins:
  - use: shell
    options:
      allow: [reading]
  - use: hitl
    options: { tools: { shell: true }, preApprovals: [shell] }
`),
    },
  ),
  advised(
    'approvals trust a plugin that is not listed',
    `plugins:
  - filesystem
  - use: hitl
    options: { tools: { '*': true }, preApprovals: [«hook] }
`,
    {
      code: 'hitl/NO_PRE_APPROVALS',
      plugin: 'hitl',
      fix: 'Add the plugin, or remove it from preApprovals.',
      obey: 'remove',
    },
  ),
  advised(
    'an event of hooks is misspelt',
    `plugins:
  - use: hooks
    options:
      events:
        «PreToolUsed:
          - { match: '*', command: ./hooks/no-push.sh, onFailure: stop }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'hooks',
      fix: 'did you mean "PreToolUse"?',
      obey: { write: 'PreToolUse' },
      files: {
        'hooks/no-push.sh': `#!/bin/sh
`,
      },
    },
  ),
  advised(
    'a hook that fails does something unknown',
    `plugins:
  - use: hooks
    options:
      events:
        PreToolUse:
          - { match: '*', command: 'true', onFailure: «halt }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'hooks',
      fix: 'write "pass", "stop" or "ask".',
      obey: { write: 'stop' },
    },
  ),
  advised(
    'a limit is a number, not a table',
    `plugins:
  - use: limits
    options: { modelCalls: «60 }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'limits',
      fix: 'write an object with run, session, onLimit.',
      obey: { write: '{ run: 60 }' },
    },
  ),
  advised(
    'a limit of costs without a price',
    `plugins:
  - use: «limits
    options: { cost: { run: 2 } }
`,
    {
      code: 'limits/LIMITS_INVALID',
      plugin: 'limits',
      fix: 'set the option prices, by model or to genai-prices, or one price in un',
      obey: rewritten(`plugins:
  - use: limits
    options: { cost: { run: 2 }, prices: { offline: { input: 0, output: 0 } } }
`),
    },
  ),
  advised(
    'a limit of a tool that does not exist',
    `plugins:
  - use: limits
    options: { modelCalls: { run: 9 }, toolCalls: { tools: { «send_mial: { run: 5 } } } }
`,
    {
      code: 'limits/UNKNOWN_TOOL',
      plugin: 'limits',
      fix: 'For a tool that is added later, use a pattern such as "send_mial*".',
      obey: rewritten(`plugins:
  - use: limits
    options: { modelCalls: { run: 9 } }
`),
    },
  ),
  advised(
    'a detector of redaction is misspelt',
    `plugins:
  - use: redaction
    options: { detectors: { «e-mail: redact } }
`,
    { code: 'PLUGIN_OPTIONS', plugin: 'redaction', fix: 'did you mean "email"?', obey: { write: 'email' } },
  ),
  advised(
    'a pattern of redaction does not parse',
    `plugins:
  - use: redaction
    options:
      own:
        - { name: customer, pattern: «'C-(\\d{8}', longest: 10 }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'redaction',
      fix: 'see https://github.com/google/re2/wiki/Syntax.',
      obey: { write: "'C-\\d{8}'" },
    },
  ),
  advised(
    'a retry of no attempt',
    `plugins:
  - use: resilience
    options: { modelRetry: { attempts: «0 } }
`,
    {
      code: 'PLUGIN_OPTIONS',
      plugin: 'resilience',
      fix: 'write a whole number of at least 1 and at most 100.',
      obey: { write: '4' },
    },
  ),
];
