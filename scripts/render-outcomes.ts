import { caseNames } from '../packages/matrix/src/cases.ts';
import { lacks } from '../packages/matrix/src/lacks.ts';
import { layerNames } from '../packages/matrix/src/layers.ts';
import { outcomes, type Aspect, type Rule } from '../packages/matrix/src/outcomes.ts';
import { markdownTable } from './markdown-table.ts';

const aspects: Readonly<Record<Aspect, readonly [heading: string, text: string]>> = {
  ends: [
    'How the runs end',
    'The outcome of each run of the session until one is completed. A run that failed, was aborted or died is resumed once; runs that only wait for an answer are left out.',
  ],
  asks: [
    'What is asked',
    'The kinds of interrupts. `hitl` asks about one of the tools; in the case `interrupt`, another tool asks a question. `ask-user` asks what the model asks.',
  ],
  models: [
    'Which model is called',
    'The number of calls that reach each model, over all runs, and the model that answers last. The script has three steps. `any`: it depends on the commit.',
  ],
  flaky: [
    'A tool that fails once',
    'The result of a tool that is `idempotent` and, in the case `tool error`, throws a transient error at its first execution.',
  ],
  malformed: ['A call with malformed arguments', 'The result of a call whose arguments are almost JSON.'],
  listing: ['A directory', 'The result of a call of `ls`, which the model makes if the tool is offered.'],
  command: [
    'A command',
    'The result of a call of `shell` with `echo tea`, which the model makes if the tool is offered.',
  ],
  page: [
    'A page',
    'The result of a call of `fetch_url` with a private address, which the model makes if the tool is offered.',
  ],
  reply: [
    'A question to the user',
    'The result of a call of `ask_user`, which the model makes if the tool is offered.',
  ],
  address: [
    'An e-mail address',
    'User, model, tool and earlier messages all mention an e-mail address. What the stored messages and every event of the streams, broken drafts included, show of it.',
  ],
};

/** Returns the page about plugins together, from the table that the tests compare with. */
export function renderOutcomes(): string {
  const passive = layerNames.filter((name) => !namedLayers().has(name)).map((name) => `\`${name}\``);
  return [
    '# Plugins together',
    'This page shows what the plugins of this repository do together when something happens to a run. It is generated from the table that the tests compare with; do not edit it.',
    'The tests play one script with each plugin alone, with every ordered pair of layers (the first is outside the second, in every hook), and with 2,000 random stacks of three to eight layers with random priorities: an earlier conversation, a step with four tool calls and one of each tool that a plugin brings, a step with one, and an answer. One of these things happens to it each time:',
    caseNames.map((name) => `- ${name}`).join('\n'),
    'Whatever the layers and their order:',
    [
      '- Interrupts and aborts pass all layers: no layer answers them with a retry or another model.',
      '- Each tool call is answered exactly once, and a tool with effects is executed exactly once, also if the process dies at any commit.',
      '- The content that a stream shows when a message closes is that message, and that message is stored.',
      '- `limits` counts each model call that is sent, and each tool call once, also if it is resumed.',
    ].join('\n'),
    `In the tables, the first row of a case whose layers are present decides. \`a > b\` means that \`a\` is outside \`b\`. Layers that no row names change none of these outcomes: ${passive.join(', ')}.`,
    ...Object.entries(aspects).flatMap(([aspect, [heading, text]]) => [
      `## ${heading}`,
      text,
      tableOf(outcomes[aspect as Aspect]),
    ]),
    '## What a plugin lacks',
    'What becomes of a plugin when something that it depends on is taken away. It `refuses` to start, or `fails` the run, with this code; it `warns` with it, and works all the same (once, unless the warning is about each event of its kind); or it does what it is there for without a word. A test plays each row.',
    markdownTable(
      ['plugin', 'without', 'outcome'],
      lacks.map(({ plugin, lacks: lacking, outcome }) => [
        `\`${plugin}\``,
        lacking,
        outcome.replace(/(?<=^(?:refuses|fails|warns) )([\w/-]+)$/, '`$1`'),
      ]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

function tableOf(cases: Readonly<Record<string, readonly Rule[]>>): string {
  const isOnly = Object.keys(cases).length === 1;
  const rows = Object.entries(cases).flatMap(([name, rules]) =>
    rules.map((rule) => [
      name === 'others' ? (isOnly ? 'all' : 'all others') : name,
      rule.with === undefined ? (rules.length === 1 ? 'any' : 'without these') : `\`${rule.with}\``,
      rule.outcome,
    ]),
  );
  return markdownTable(['case', 'layers', 'outcome'], rows);
}

function namedLayers(): ReadonlySet<string> {
  const rules = Object.values(outcomes).flatMap((cases) => Object.values(cases).flat());
  return new Set(rules.flatMap((rule) => rule.with?.split(' > ') ?? []));
}
