import type { Chains } from '../hooks/chains.ts';
import type { AgentParts, ModelTerms } from './agent-parts.ts';
import type { ParentRun } from './child-terms.ts';

/** The identity and settings of a run, constant until its end. */
export interface RunTerms {
  readonly id: string;
  readonly parts: AgentParts;
  readonly chains: Chains;
  readonly context: unknown;
  readonly model: ModelTerms;
  /** Undefined unless the run is a child. */
  readonly parent: ParentRun | undefined;
}
