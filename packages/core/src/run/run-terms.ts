import type { Validate } from '../base/schema.ts';
import type { ModelSettings, OutputSchema, ToolChoice } from '../contract/model.ts';
import type { Chains } from '../hooks/chains.ts';
import type { AgentParts } from './agent-parts.ts';

/** The identity and settings of a run, constant until its end. */
export interface RunTerms {
  readonly id: string;
  readonly parts: AgentParts;
  readonly chains: Chains;
  readonly context: unknown;
  readonly resumed: boolean;
  readonly model: ModelTerms;
}

/** The settings with which a run calls its model. */
export interface ModelTerms {
  readonly settings: ModelSettings;
  readonly toolChoice: ToolChoice | undefined;
  readonly output: { readonly schema: OutputSchema; readonly validate: Validate } | undefined;
}
