import type { Files } from './files/files.ts';
import type { LivePlugins } from './live-plugins.ts';
import type { LogLosses } from './log-losses.ts';
import type { Logger } from './logger.ts';
import type { ChatModel, ModelSettings } from './model.ts';
import type { Owner } from './owner.ts';
import type { Redactor } from './redact/redactor.ts';
import type { RunInfo } from './run-info.ts';
import type { SilenceKeeper } from './silence-keeper.ts';
import type { Store } from './store.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** What runs need of their agent: its options with the defaults filled in, and what plugins brought. */
export interface AgentParts {
  readonly name: string;
  readonly model: ChatModel;
  readonly instructions: string;
  readonly settings: ModelSettings;
  readonly store: Store;
  readonly files: (run: RunInfo) => Files;
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
  readonly closeTimeoutMs: number;
  readonly modelIdleMs: number;
  readonly modelTimeoutMs: number;
  readonly silence: SilenceKeeper;
  readonly claimMs: number;
  readonly tools: ToolRegistry;
  readonly host: LivePlugins;
}
