import { tmpdir } from 'node:os';

import type { Plugin } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import askUser from '@shallot/plugin-ask-user';
import contextEditing from '@shallot/plugin-context-editing';
import fetchPages from '@shallot/plugin-fetch';
import filesystem from '@shallot/plugin-filesystem';
import guard from '@shallot/plugin-guard';
import hitl from '@shallot/plugin-hitl';
import hooks from '@shallot/plugin-hooks';
import limits from '@shallot/plugin-limits';
import mcp from '@shallot/plugin-mcp';
import memory from '@shallot/plugin-memory';
import promptCaching from '@shallot/plugin-prompt-caching';
import redaction from '@shallot/plugin-redaction';
import repair from '@shallot/plugin-repair';
import { circuitBreaker, modelFallback, modelRetry, timeouts, toolRetry } from '@shallot/plugin-resilience';
import shell from '@shallot/plugin-shell';
import skills from '@shallot/plugin-skills';
import subagents from '@shallot/plugin-subagents';
import summarization from '@shallot/plugin-summarization';
import telemetry from '@shallot/plugin-telemetry';
import todo from '@shallot/plugin-todo';
import toolset from '@shallot/plugin-toolset';

const soon = { attempts: 3, firstDelayMs: 1, maxDelayMs: 1 };
const plenty = { run: 1000, session: 1000 };

/** Every layer of the repository's plugins, with options that make it act in the script. */
export const layers = {
  summarization: () => summarization({ trigger: { tokens: 3000 }, keep: { messages: 3 } }),
  memory: () => memory({ writable: true }),
  skills: () => skills(),
  hitl: () => hitl({ tools: { pay: true } }),
  guard: () => guard({ checks: [{ check: () => ({ flagged: false }), action: 'warn' }] }),
  hooks: () =>
    hooks({ events: { PreToolUse: [{ match: 'pay', command: 'true' }], Stop: [{ command: 'true' }] } }),
  telemetry: () =>
    telemetry({ insight: true, content: true, sinks: [{ name: 'nowhere', observe: () => ({}) }] }),
  limits: () =>
    limits({
      modelCalls: plenty,
      toolCalls: plenty,
      // The estimate for an interrupted attempt exceeds the usage in the script.
      tokens: { run: 1_000_000, session: 1_000_000 },
      timeMs: { run: 600_000, session: 600_000 },
    }),
  'model-fallback': (fallback) => modelFallback({ models: [fallback] }),
  'model-retry': () => modelRetry(soon),
  'tool-retry': () => toolRetry(soon),
  'circuit-breaker': () => circuitBreaker({ failures: 2 }),
  timeouts: () => timeouts({ modelMs: 600_000, toolMs: 600_000 }),
  'last-n': () => contextEditing({ lastN: 12 }),
  'strip-tool-calls': () => contextEditing({ stripToolCalls: true }),
  'clear-tool-results': () =>
    contextEditing({
      clearToolResults: { trigger: { tokens: 1000 }, keep: 2, clearInputs: true },
      persist: true,
    }),
  redaction: () => redaction(),
  'prompt-caching': () => promptCaching(),
  repair: () => repair(),
  mcp: () => mcp({ servers: {} }),
  filesystem: () => filesystem(),
  shell: () => shell({ unattended: true, deny: ['rm'], root: tmpdir() }),
  fetch: () => fetchPages(),
  'ask-user': () => askUser(),
  subagents: () => subagents(),
  todo: () => todo(),
  toolset: () =>
    toolset({
      hide: ['hidden'],
      describe: { look: 'Looks something up.' },
      search: {
        above: 2,
        offer: [
          'look',
          'flaky',
          'pay',
          'fix',
          'ask',
          'skill*',
          'edit_*',
          'ls*',
          'shell*',
          'fetch_*',
          'ask_*',
          'write_*',
          'delegate*',
        ],
      },
    }),
} as const satisfies Readonly<Record<string, (fallback: ChatModel) => Plugin>>;

export type LayerName = keyof typeof layers;

/** The names of all layers. */
export const layerNames: readonly LayerName[] = Object.keys(layers).filter(isLayerName);

function isLayerName(name: string): name is LayerName {
  return Object.hasOwn(layers, name);
}
