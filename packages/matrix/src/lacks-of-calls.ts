import { textOf } from '@shallot/core';
import askUser from '@shallot/plugin-ask-user';
import contextEditing from '@shallot/plugin-context-editing';
import fetchPages from '@shallot/plugin-fetch';
import filesystem from '@shallot/plugin-filesystem';
import guard from '@shallot/plugin-guard';
import hooks from '@shallot/plugin-hooks';
import mcp from '@shallot/plugin-mcp';
import repair from '@shallot/plugin-repair';
import { circuitBreaker, modelFallback, modelRetry, timeouts, toolRetry } from '@shallot/plugin-resilience';
import subagents from '@shallot/plugin-subagents';
import todo from '@shallot/plugin-todo';
import toolset from '@shallot/plugin-toolset';
import { scriptedModel } from '@shallot/testing';

import type { Lack } from './lack.ts';
import { brokenFiles, busy, calls, look, type Witness } from './witness.ts';

const searching = { providerTools: ['openai.web_search'] };
const soon = { attempts: 3, firstDelayMs: 1, maxDelayMs: 1 };
const executesNothing = ({ executed }: Witness): boolean => executed === 0;
const says =
  (text: string) =>
  ({ first }: Witness): boolean =>
    first.messages.some((message) => textOf(message).includes(text));
const ends = ({ first }: Witness): boolean => first.stopReason === 'answer';

/** The dependencies of plugins around calls, and of those that bring tools. */
export const lacksOfCalls: readonly Lack[] = [
  ...(['hide', 'returnDirectly'] as const).map((key): Lack => ({
    plugin: 'toolset',
    lacks: `a tool that ${key} names`,
    outcome: 'refuses toolset/UNKNOWN_TOOL',
    agent: () => ({ plugins: [toolset({ [key]: ['pay'] })] }),
  })),
  {
    plugin: 'toolset',
    lacks: 'a tool that describe names',
    outcome: 'refuses toolset/UNKNOWN_TOOL',
    agent: () => ({ plugins: [toolset({ describe: { pay: 'Pays.' } })] }),
  },
  {
    plugin: 'toolset',
    lacks: 'a tool that search offers',
    outcome: 'refuses toolset/UNKNOWN_TOOL',
    agent: () => ({ plugins: [toolset({ search: { offer: ['pay'] } })] }),
  },
  {
    plugin: 'toolset',
    lacks: 'power over a tool that it hides: the provider executes it',
    outcome: 'refuses toolset/PROVIDER_TOOL',
    agent: () => ({ plugins: [toolset({ hide: ['web_search'] })], options: searching }),
  },
  {
    plugin: 'resilience',
    lacks: 'another model to fall back to',
    outcome: 'refuses resilience/NO_FALLBACK',
    agent: () => {
      const model = scriptedModel([]);
      return { plugins: [modelFallback({ models: [model] })], options: { model } };
    },
  },
  {
    plugin: 'resilience',
    lacks: 'another name for the fallback, which is at another endpoint',
    outcome: 'warns model-fallback/MODEL_FALLBACK',
    agent: () => ({
      plugins: [modelFallback({ models: [scriptedModel([{ text: 'Second.' }])] })],
      steps: [busy],
    }),
    holds: ({ first }) => first.text === 'Second.',
  },
  {
    plugin: 'resilience',
    lacks: 'the time to retry a model at, and a limit of time',
    outcome: 'warns model call is retried: busy',
    isPerEvent: true,
    agent: () => ({ plugins: [modelRetry(soon)], steps: [busy, busy] }),
    holds: ends,
  },
  {
    plugin: 'resilience',
    lacks: 'a tool that toolRetry names',
    outcome: 'refuses resilience/UNKNOWN_TOOL',
    agent: () => ({ plugins: [toolRetry({ tools: ['pay'] })] }),
  },
  {
    plugin: 'resilience',
    lacks: 'the effect of a tool that fails',
    outcome: 'guards',
    agent: () => {
      const { effect: _, ...rest } = look;
      const fails = (): never => {
        throw Object.assign(new Error('busy'), { status: 503 });
      };
      return {
        plugins: [toolRetry(soon)],
        options: { tools: [{ ...rest, execute: fails }] },
        steps: [calls('look')],
      };
    },
    holds: ({ executed }) => executed === 1,
  },
  {
    plugin: 'resilience',
    lacks: 'the endpoint of a model that keeps failing',
    outcome: 'fails resilience/CIRCUIT_OPEN',
    agent: () => ({
      plugins: [circuitBreaker({ failures: 1 })],
      steps: [busy],
      before: (agent) => agent.run('Hi').catch(() => {}),
    }),
  },
  {
    plugin: 'resilience',
    lacks: 'a tool that timeouts names',
    outcome: 'refuses resilience/UNKNOWN_TOOL',
    agent: () => ({ plugins: [timeouts({ tools: { pay: 5 } })] }),
  },
  {
    plugin: 'filesystem',
    lacks: 'a file service that works',
    outcome: 'guards',
    agent: () => ({
      plugins: [filesystem()],
      options: { files: brokenFiles() },
      steps: [{ toolCalls: [{ name: 'ls', args: {} }] }],
    }),
    holds: says('the disk is gone'),
  },
  {
    plugin: 'repair',
    lacks: 'a tool that a name nearly fits',
    outcome: 'guards',
    agent: () => ({ plugins: [repair()], steps: [calls('lok')] }),
    holds: executesNothing,
  },
  {
    plugin: 'mcp',
    lacks: 'a server that starts',
    outcome: 'refuses mcp/SERVER_FAILED',
    agent: () => ({ plugins: [mcp({ servers: { gone: { command: '/no/such/server' } } })] }),
  },
  {
    plugin: 'mcp',
    lacks: 'a server that starts, but is optional',
    outcome: 'warns mcp/SERVER_LEFT_OUT',
    agent: () => ({ plugins: [mcp({ servers: { gone: { command: '/no/such/server', optional: true } } })] }),
    holds: ends,
  },
  {
    plugin: 'subagents',
    lacks: 'a tool that the definition of an agent names',
    outcome: 'refuses subagents/UNKNOWN_TOOL',
    agent: () => ({
      plugins: [subagents({ agents: [{ name: 'payer', description: 'Pays.', tools: ['pay'] }] })],
    }),
  },
  {
    plugin: 'guard',
    lacks: 'a classifier that answers',
    outcome: 'warns guard/CLASSIFIER_FAILED',
    isPerEvent: true,
    agent: () => ({
      plugins: [guard({ checks: [{ on: ['results'], url: 'http://127.0.0.1:1/' }] })],
      steps: [calls('look')],
    }),
    holds: says('its result is withheld'),
  },
  {
    plugin: 'guard',
    lacks: 'a tool that a check names',
    outcome: 'refuses guard/UNKNOWN_TOOL',
    agent: () => ({ plugins: [guard({ checks: [{ url: 'http://127.0.0.1:1/', tools: ['pay'] }] })] }),
  },
  {
    plugin: 'hooks',
    lacks: 'the script of a hook',
    outcome: 'warns hooks/HOOK_FAILED',
    agent: () => ({
      plugins: [hooks({ events: { PreToolUse: [{ command: './no-such-script' }] } })],
      steps: [calls('look')],
    }),
    holds: ends,
  },
  {
    plugin: 'hooks',
    lacks: 'the script of a hook that must not fail',
    outcome: 'guards',
    agent: () => ({
      plugins: [hooks({ events: { PreToolUse: [{ command: './no-such-script', onFailure: 'stop' }] } })],
      steps: [calls('look')],
    }),
    holds: executesNothing,
  },
  {
    plugin: 'ask-user',
    lacks: 'anybody to ask',
    outcome: 'guards',
    agent: () => ({
      plugins: [askUser()],
      steps: [{ toolCalls: [{ name: 'ask_user', args: { questions: [{ question: 'Really?' }] } }] }],
    }),
    holds: ({ first }) => first.outcome === 'interrupted',
  },
  {
    plugin: 'todo',
    lacks: 'the messages that had its list',
    outcome: 'guards',
    agent: () => ({
      plugins: [todo(), contextEditing({ lastN: 1 })],
      steps: [
        { toolCalls: [{ name: 'write_todos', args: { todos: [{ content: 'Read.', status: 'pending' }] } }] },
        { text: 'Yes.' },
      ],
    }),
    holds: says('[ ] Read.'),
  },
  {
    plugin: 'fetch',
    lacks: 'a proxy that checks addresses',
    outcome: 'guards',
    agent: () => ({
      plugins: [fetchPages()],
      steps: [{ toolCalls: [{ name: 'fetch_url', args: { url: 'http://127.0.0.1/' } }] }],
    }),
    holds: says('not on the public internet'),
  },
];
