import { frozenCopy } from '../../base/json.ts';
import type { RunOptions } from '../../contract/agent-options.ts';
import type { RunRecord } from '../../contract/store.ts';
import type { AgentParts, ModelTerms } from '../agent-parts.ts';
import { outputOf } from './output.ts';

/**
 * Returns the terms of a run whose own options, or stored ones, differ from the agent's. `toolChoice` is kept apart from
 * the settings because it changes from step to step.
 */
export function modelTermsOf(
  { modelTerms }: AgentParts,
  own: Pick<RunOptions, 'settings' | 'toolChoice' | 'output'>,
  stored?: Pick<RunRecord, 'submitted' | 'toolChoice' | 'output'>,
): ModelTerms {
  const given = { ...stored?.submitted?.settings, ...own.settings };
  const { toolChoice = stored?.toolChoice?.choice ?? modelTerms.toolChoice, ...settings } = given;
  return {
    settings:
      Object.keys(settings).length === 0
        ? modelTerms.settings
        : frozenCopy({ ...modelTerms.settings, ...settings }),
    toolChoice: own.toolChoice ?? toolChoice,
    // A resume without an output schema reuses the stored one.
    output: outputOf(own.output) ?? outputOf(stored?.output?.['schema'] as never),
  };
}
