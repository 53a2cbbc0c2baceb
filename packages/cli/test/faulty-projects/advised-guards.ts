import { advised, rewritten, type AdvisedProject } from './advised-project.ts';

const code = 'PLUGIN_OPTIONS';

/** Returns a project with one plugin and a fault in its options. */
function guard(
  plugin: string,
  fault: string,
  options: string,
  fix: string,
  write: string,
  more: Partial<AdvisedProject> = {},
): AdvisedProject {
  const text = `plugins:\n  - use: ${plugin}\n    options: ${options}\n`;
  return advised(`${plugin}: ${fault}`, text, { code, plugin, fix, obey: { write }, ...more });
}

const plugins = (entry: string): string => `plugins:\n  - use: ${entry}\n`;

const limits: readonly AdvisedProject[] = [
  advised('limits that limit nothing', plugins('«limits'), {
    code: 'limits/LIMITS_INVALID',
    plugin: 'limits',
    fix: 'modelCalls: { run: 50 }',
    obey: rewritten(plugins('limits\n    options: { modelCalls: { run: 50 } }')),
  }),
  guard('limits', 'a limit in words', '{ modelCalls: { run: «many } }', 'whole number', '50'),
  guard('limits', 'a limit that is one number', '{ tokens: «2000000 }', 'session', '{ session: 2000000 }'),
  guard('limits', 'an action that is none', '{ modelCalls: { run: 5, onLimit: «stop } }', '"end"', 'end'),
  guard('limits', 'a share in percent', '{ modelCalls: { run: 5 }, warnAt: «80 }', '1', '0.8'),
  guard('limits', 'a misspelt limit', '{ modelCalls: { «runs: 5 } }', 'did you mean "run"?', 'run'),
  guard('limits', 'a cost without prices', '{ cost: { run: 2 } }', 'set the option prices', '', {
    at: 'shallot.config.yaml:3:10',
    code: 'limits/LIMITS_INVALID',
    obey: rewritten(
      plugins('limits\n    options: { cost: { run: 2 }, prices: { offline: { input: 3, output: 15 } } }'),
    ),
  }),
  guard(
    'limits',
    'a limit of a tool that is not there',
    '{ toolCalls: { tools: { «send_mial: { run: 1 } } } }',
    'use a pattern such as "send_mial*"',
    '',
    {
      code: 'limits/UNKNOWN_TOOL',
      obey: rewritten(plugins("limits\n    options: { toolCalls: { tools: { 'send_mial*': { run: 1 } } } }")),
    },
  ),
];

const resilience: readonly AdvisedProject[] = [
  guard('resilience', 'no attempt at all', '{ modelRetry: { attempts: «0 } }', '1', '3'),
  guard('resilience', 'a circuit that opens at once', '{ circuitBreaker: { failures: «0 } }', '1', '5'),
  guard('resilience', 'a time without its unit', '{ timeouts: { «model: 300000 } }', 'modelMs', 'modelMs'),
  guard('resilience', 'a time in words', '{ timeouts: { modelMs: «5m } }', 'number', '300000'),
  guard(
    'resilience',
    'a fallback of an unknown provider',
    '«{ modelFallback: { models: [nosuch/gpt] } }',
    'write { provider: openai-compatible',
    '',
    {
      code: 'CONFIG_INVALID',
      obey: rewritten(plugins('resilience\n    options: { modelRetry: { attempts: 3 } }')),
    },
  ),
  guard('resilience', 'no fallback in the list', '{ modelFallback: { models: «[] } }', 'model', '', {
    obey: rewritten(plugins('resilience\n    options: { modelRetry: { attempts: 3 } }')),
  }),
];

const redaction: readonly AdvisedProject[] = [
  guard(
    'redaction',
    'a misspelt detector',
    '{ detectors: { «crad: block } }',
    'did you mean "card"?',
    'card',
  ),
  guard('redaction', 'an action that is none', '{ detectors: { card: «hide } }', 'block', 'block'),
  guard(
    'redaction',
    'a pattern that cannot be parsed',
    "{ own: [{ name: hive, pattern: «'H-([' }] }",
    "RE2's syntax",
    "'H-[0-9]+'",
  ),
  guard('redaction', 'a pattern without a name', "{ own: [«{ pattern: 'H-[0-9]{6}' }] }", 'name', '', {
    obey: rewritten(
      plugins("redaction\n    options: { own: [{ name: hive, pattern: 'H-[0-9]+', longest: 10 }] }"),
    ),
  }),
  guard('redaction', 'a key that is not set', '{ key: «{ $env: REDACTION_KEY } }', 'REDACTION_KEY', '', {
    code: 'CONFIG_ENV',
    plugin: undefined,
    obey: { files: { '.env': 'REDACTION_KEY=0123456789abcdef0123456789abcdef\n' } },
  }),
];

const context: readonly AdvisedProject[] = [
  advised('context editing that edits nothing', plugins('«context-editing'), {
    code: 'context-editing/NOTHING_TO_EDIT',
    plugin: 'context-editing',
    fix: 'Set lastN, stripToolCalls or clearToolResults',
    obey: rewritten(plugins('context-editing\n    options: { clearToolResults: {} }')),
  }),
  guard('context-editing', 'a number of results below zero', '{ clearToolResults: { keep: «-1 } }', '0', '3'),
  guard('context-editing', 'no message at all', '{ lastN: «0 }', '1', '10'),
  guard('summarization', 'a fraction in percent', '{ trigger: { fraction: «70 } }', '1', '', {
    obey: rewritten(plugins('summarization\n    options: { trigger: { tokens: 60000 } }')),
  }),
  guard('summarization', 'a number for what to keep', '{ keep: «0.2 }', 'messages', '{ messages: 20 }'),
  guard('summarization', 'a misspelt trigger', '{ trigger: { «token: 60000 } }', 'tokens', 'tokens'),
  guard(
    'summarization',
    'more kept than triggers',
    '{ trigger: { messages: 10 }, keep: { messages: 20 } }',
    'for example half of it',
    '',
    {
      code: 'summarization/KEEP_TOO_LARGE',
      at: 'shallot.config.yaml:3:10',
      obey: rewritten(
        plugins('summarization\n    options: { trigger: { messages: 10 }, keep: { messages: 5 } }'),
      ),
    },
  ),
  guard('telemetry', 'a misspelt option', '{ «insights: true }', 'did you mean "insight"?', 'insight'),
  guard('telemetry', 'a level that is none', '{ log: { runs: «information } }', 'info', 'info'),
  guard(
    'telemetry',
    'attributes that are a list',
    '{ attributes: «[bees] }',
    'an object',
    '{ tags: [bees] }',
  ),
];

export const advisedGuards: readonly AdvisedProject[] = [...limits, ...resilience, ...redaction, ...context];
