import type { AgentIdentity } from '../contract/agent-identity.ts';
import type { ChatModel, ModelSettings, ProviderTool, ToolChoice } from '../contract/model.ts';
import type { RunIdentity } from '../contract/run-info.ts';
import type { Store } from '../contract/store.ts';
import type { Files } from '../files/files.ts';
import type { Owner } from '../hooks/owner.ts';
import type { LogLosses } from '../log/log-losses.ts';
import type { Logger } from '../log/logger.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { LivePlugins } from './live-plugins.ts';
import type { SilenceKeeper } from './model/silence-keeper.ts';
import type { HookTimes } from './parts/hook-clock.ts';
import type { ToolRegistry } from './tools/tool-registry.ts';

/** What runs need of their agent: its options with the defaults filled in, and what plugins brought. */
export interface AgentParts extends AgentIdentity {
  readonly model: ChatModel;
  readonly instructions: string;
  readonly settings: ModelSettings;
  readonly toolChoice: ToolChoice | undefined;
  readonly providerTools: readonly ProviderTool[];
  readonly store: Store;
  readonly files: (run: RunIdentity) => Files;
  readonly log: Logger;
  readonly logLosses: LogLosses;
  readonly redactor: Redactor;
  /** Who tools act as that no plugin brought: what they say carries this name. */
  readonly toolOwner: Owner;
  readonly maxSteps: number;
  readonly maxStepsAnswer: boolean;
  readonly toolConcurrency: number;
  readonly toolErrors: 'report' | 'throw';
  readonly hookTimeoutMs: number;
  readonly hookTimes: HookTimes;
  readonly closeTimeoutMs: number;
  readonly modelIdleMs: number;
  readonly modelTimeoutMs: number;
  readonly silence: SilenceKeeper;
  readonly claimMs: number;
  readonly tools: ToolRegistry;
  readonly host: LivePlugins;
}
