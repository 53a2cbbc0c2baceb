import { textOf } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { ModelRequest } from '@shallot/core/model';
import contextEditing from '@shallot/plugin-context-editing';
import memory from '@shallot/plugin-memory';
import promptCaching from '@shallot/plugin-prompt-caching';
import skills from '@shallot/plugin-skills';
import summarization from '@shallot/plugin-summarization';
import telemetry from '@shallot/plugin-telemetry';
import type { ScriptedStep } from '@shallot/testing';

import type { Lack } from './lack.ts';
import { brokenFiles, calls, look, type Witness } from './witness.ts';

const looking = Array.from({ length: 12 }, () => calls('look'));
/** Returns steps that answer a request for a summary, which has no tools, with a summary. */
const unlessSummary = (steps: readonly ScriptedStep[]): readonly ScriptedStep[] =>
  steps.map(
    (step) =>
      ({ tools = [] }: ModelRequest) =>
        tools.length === 0 ? { text: 'A summary.' } : step,
  );
const ends = ({ first }: Witness): boolean => first.stopReason === 'answer';

/** The dependencies of plugins that change or show the model's context. */
export const lacksOfContext: readonly Lack[] = [
  {
    plugin: 'summarization',
    lacks: 'the size of the context, of which a fraction is given',
    outcome: 'refuses summarization/CONTEXT_UNKNOWN',
    agent: () => ({ plugins: [summarization({ trigger: { fraction: 0.8 } })] }),
  },
  {
    plugin: 'summarization',
    lacks: 'usage, and the size of the context',
    outcome: 'guards',
    agent: () => ({
      plugins: [summarization({ trigger: { tokens: 1500 }, keep: { messages: 2 } })],
      steps: unlessSummary(looking),
    }),
    holds: ({ model }) => model.requests.some(({ tools = [] }) => tools.length === 0),
  },
  {
    plugin: 'summarization',
    lacks: 'a file service that works',
    outcome: 'warns summarization/OFFLOAD_FAILED',
    isPerEvent: true,
    agent: () => ({
      plugins: [summarization({ trigger: { tokens: 1500 }, keep: { messages: 2 } })],
      steps: unlessSummary(looking),
      options: { files: brokenFiles() },
    }),
    holds: ends,
  },
  {
    plugin: 'context-editing',
    lacks: 'the size of the context, and usage',
    outcome: 'guards',
    agent: () => ({
      plugins: [contextEditing({ clearToolResults: { keep: 1 } })],
      options: {
        tools: [{ ...look, maxResultTokens: Infinity, execute: () => 'A result. '.repeat(20_000) }],
      },
      steps: looking.slice(0, 6),
    }),
    holds: ({ model }) =>
      model.requests.some(({ messages }) =>
        messages.some((message) => textOf(message).includes('was cleared')),
      ),
  },
  {
    plugin: 'context-editing',
    lacks: 'a tool that it names',
    outcome: 'refuses context-editing/UNKNOWN_TOOL',
    agent: () => ({ plugins: [contextEditing({ clearToolResults: { exclude: ['pay'] } })] }),
  },
  {
    plugin: 'memory',
    lacks: 'a file service that works',
    outcome: 'fails memory/FILE_FAILED',
    agent: () => ({ plugins: [memory()], options: { files: brokenFiles() } }),
  },
  {
    plugin: 'memory',
    lacks: 'its files',
    outcome: 'guards',
    agent: () => ({ plugins: [memory()], options: { files: memoryFiles() } }),
    holds: ends,
  },
  {
    plugin: 'skills',
    lacks: 'a file service that works',
    outcome: 'warns skills/SKIPPED',
    agent: () => ({ plugins: [skills()], options: { files: brokenFiles() } }),
    holds: ends,
  },
  {
    plugin: 'prompt-caching',
    lacks: 'a model that takes marks',
    outcome: 'guards',
    agent: () => ({ plugins: [promptCaching()] }),
    holds: ({ model }) => model.requests.every(({ cache }) => cache === undefined),
  },
  {
    plugin: 'telemetry',
    lacks: 'a place for its trace file',
    outcome: 'warns telemetry/LOST',
    agent: () => ({ plugins: [telemetry({ trace: '/dev/null/trace.jsonl' })] }),
    holds: ends,
  },
  {
    plugin: 'telemetry',
    lacks: 'an SDK, prices, and usage',
    outcome: 'guards',
    agent: () => ({ plugins: [telemetry()] }),
    holds: ends,
  },
];
