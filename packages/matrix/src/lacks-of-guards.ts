import { textOf } from '@shallot/core';
import hitl from '@shallot/plugin-hitl';
import limits from '@shallot/plugin-limits';
import redaction from '@shallot/plugin-redaction';
import { modelFallback } from '@shallot/plugin-resilience';
import shell from '@shallot/plugin-shell';
import summarization from '@shallot/plugin-summarization';
import { scriptedModel } from '@shallot/testing';

import type { Lack } from './lack.ts';
import { calls, type Witness } from './witness.ts';

const searching = { providerTools: ['openai.web_search'] };
const prices = { 'test/scripted': { input: 1000, output: 1000 } };
const other = () => scriptedModel([{ text: 'The other.' }, { text: 'The other.' }], { id: 'test/other' });
const looking = Array.from({ length: 12 }, () => calls('look'));
const stops = ({ first }: Witness): boolean => first.stopReason === 'limit';
const executesNothing = ({ executed }: Witness): boolean => executed === 0;
const says =
  (text: string) =>
  ({ first }: Witness): boolean =>
    first.messages.some((message) => textOf(message).includes(text));

/** The dependencies of limits, approvals, commands and redaction. */
export const lacksOfGuards: readonly Lack[] = [
  {
    plugin: 'limits',
    lacks: 'usage, where tokens are limited',
    outcome: 'warns limits/USAGE_ESTIMATED',
    agent: () => ({ plugins: [limits({ tokens: { run: 500 }, warnAt: false })], steps: looking }),
    holds: stops,
  },
  {
    plugin: 'limits',
    lacks: 'usage, where cost is limited',
    outcome: 'warns limits/USAGE_ESTIMATED',
    agent: () => ({ plugins: [limits({ cost: { run: 0.5 }, prices, warnAt: false })], steps: looking }),
    holds: stops,
  },
  {
    plugin: 'limits',
    lacks: "the price of the agent's model",
    outcome: 'refuses limits/PRICE_UNKNOWN',
    agent: () => ({ plugins: [limits({ cost: { run: 1 }, prices: { 'a/b': { input: 1, output: 1 } } })] }),
  },
  {
    plugin: 'limits',
    lacks: 'the price of a fallback model',
    outcome: 'refuses limits/PRICE_UNKNOWN',
    agent: () => ({ plugins: [limits({ cost: { run: 1 }, prices }), modelFallback({ models: [other()] })] }),
  },
  {
    plugin: 'limits',
    lacks: 'the price of a model that writes summaries',
    outcome: 'refuses limits/PRICE_UNKNOWN',
    agent: () => ({ plugins: [limits({ cost: { run: 1 }, prices }), summarization({ model: other() })] }),
  },
  {
    plugin: 'limits',
    lacks: 'any price',
    outcome: 'refuses limits/LIMITS_INVALID',
    agent: () => ({ plugins: [limits({ cost: { run: 1 } })] }),
  },
  {
    plugin: 'limits',
    lacks: 'prices, but for one of all models',
    outcome: 'guards',
    agent: () => ({
      plugins: [limits({ cost: { run: 0.001 }, unpriced: { input: 1000, output: 1000 }, warnAt: false })],
      steps: Array.from({ length: 12 }, () => ({
        toolCalls: [{ name: 'look' }],
        usage: { input: 10, output: 10, total: 20 },
      })),
    }),
    holds: stops,
  },
  {
    plugin: 'limits',
    lacks: 'a tool that it names',
    outcome: 'refuses limits/UNKNOWN_TOOL',
    agent: () => ({ plugins: [limits({ toolCalls: { tools: { pay: { run: 1 } } } })] }),
  },
  {
    plugin: 'limits',
    lacks: 'sight of a tool that it names: the provider executes it',
    outcome: 'refuses limits/PROVIDER_TOOL',
    agent: () => ({
      plugins: [limits({ toolCalls: { tools: { web_search: { run: 1 } } } })],
      options: searching,
    }),
  },
  {
    plugin: 'limits',
    lacks: 'sight of some of all tools: the provider executes them',
    outcome: 'warns limits/PROVIDER_TOOL',
    agent: () => ({
      plugins: [limits({ toolCalls: { run: 1 }, warnAt: false })],
      options: searching,
      steps: [calls('look', 'look')],
    }),
    holds: ({ executed }) => executed === 1,
  },
  {
    plugin: 'hitl',
    lacks: 'a tool that it names',
    outcome: 'refuses hitl/UNKNOWN_TOOL',
    agent: () => ({ plugins: [hitl({ tools: { pay: true } })] }),
  },
  {
    plugin: 'hitl',
    lacks: 'sight of a tool that it names: the provider executes it',
    outcome: 'refuses hitl/PROVIDER_TOOL',
    agent: () => ({ plugins: [hitl({ tools: { web_search: true } })], options: searching }),
  },
  {
    plugin: 'hitl',
    lacks: 'sight of some of all tools: the provider executes them',
    outcome: 'warns hitl/PROVIDER_TOOL',
    agent: () => ({ plugins: [hitl()], options: searching, steps: [calls('look')] }),
    holds: executesNothing,
  },
  {
    plugin: 'hitl',
    lacks: 'the plugin that pre-approves',
    outcome: 'refuses hitl/NO_PRE_APPROVALS',
    agent: () => ({ plugins: [hitl({ preApprovals: ['shell'] })] }),
  },
  {
    plugin: 'hitl',
    lacks: 'the plugin that pre-approves, which is removed later',
    outcome: 'guards',
    agent: () => ({
      plugins: [hitl({ preApprovals: ['shell'] }), shell({ allow: ['echo tea'], root: '/' })],
      before: (agent) => agent.remove('shell'),
      steps: [calls('look')],
    }),
    holds: executesNothing,
  },
  {
    plugin: 'hitl',
    lacks: 'anybody to ask',
    outcome: 'guards',
    agent: () => ({ plugins: [hitl({ ask: 'deny' })], steps: [calls('look')] }),
    holds: executesNothing,
  },
  {
    plugin: 'hitl',
    lacks: 'a function to ask with that works',
    outcome: 'guards',
    agent: () => ({
      plugins: [hitl({ ask: () => Promise.reject(new Error('no terminal')) })],
      steps: [calls('look')],
    }),
    holds: executesNothing,
  },
  {
    plugin: 'shell',
    lacks: 'an approval plugin',
    outcome: 'refuses shell/NOT_ASKED',
    agent: () => ({ plugins: [shell({ root: '/' })] }),
  },
  {
    plugin: 'shell',
    lacks: 'an approval plugin that asks about it',
    outcome: 'refuses shell/NOT_ASKED',
    agent: () => ({ plugins: [shell({ root: '/' }), hitl({ tools: { look: true } })] }),
  },
  {
    plugin: 'shell',
    lacks: 'the approval plugin, which is removed later',
    outcome: 'guards',
    agent: () => ({
      plugins: [shell({ root: '/' }), hitl()],
      before: (agent) => agent.remove('hitl'),
      steps: [{ toolCalls: [{ name: 'shell', args: { command: 'echo unseen' } }] }],
    }),
    holds: says('The command was refused and not executed'),
  },
  {
    plugin: 'shell',
    lacks: 'files on disk',
    outcome: 'refuses shell/NO_ROOT',
    agent: () => ({ plugins: [shell({ unattended: true })] }),
  },
  {
    plugin: 'redaction',
    lacks: 'the key of its hashes',
    outcome: 'refuses PLUGIN_OPTIONS',
    agent: () => ({ plugins: [redaction({ detectors: { email: 'hash' } })] }),
  },
];
