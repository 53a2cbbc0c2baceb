import type { Plugin } from '@shallot/core';
import { contextEditing } from '@shallot/plugin-context-editing';
import { hitl } from '@shallot/plugin-hitl';
import { limits } from '@shallot/plugin-limits';
import { memory } from '@shallot/plugin-memory';
import { promptCaching } from '@shallot/plugin-prompt-caching';
import { redaction } from '@shallot/plugin-redaction';
import { repair } from '@shallot/plugin-repair';
import { resilience } from '@shallot/plugin-resilience';
import { skills } from '@shallot/plugin-skills';
import { summarization } from '@shallot/plugin-summarization';
import { telemetry } from '@shallot/plugin-telemetry';
import { toolset } from '@shallot/plugin-toolset';

/** Returns the twelve plugins of a production config. */
export function productionPlugins(): Plugin[] {
  return [
    contextEditing({ clearToolResults: {} }),
    hitl({ tools: { 'other*': true } }),
    limits({ modelCalls: { run: 1000 }, toolCalls: { run: 1000 }, tokens: { run: 1e9 } }),
    memory(),
    promptCaching(),
    redaction(),
    repair(),
    resilience(),
    skills(),
    summarization(),
    telemetry(),
    toolset(),
  ];
}
