import type { Validate } from '../base/schema.ts';
import type { AgentIdentity } from '../contract/agent-identity.ts';
import type { TokenCounts } from '../contract/count-tokens.ts';
import type {
  ChatModel,
  ModelContext,
  ModelRequest,
  ModelResponse,
  ModelSettings,
  OutputSchema,
  ProviderTool,
  ToolChoice,
} from '../contract/model.ts';
import type { Prices } from '../contract/price.ts';
import type { RunIdentity } from '../contract/run-info.ts';
import type { RunAgent, Store } from '../contract/store.ts';
import type { Files } from '../files/files.ts';
import type { Chains } from '../hooks/chains.ts';
import type { Owner } from '../hooks/owner.ts';
import type { LogLosses } from '../log/log-losses.ts';
import type { Logger } from '../log/logger.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { DeletionParts } from '../sessions/deletion/delete-session.ts';
import type { SessionCache } from '../sessions/live/session-cache.ts';
import type { LivePlugins } from './live-plugins.ts';
import type { ModelRegistry } from './model/model-registry.ts';
import type { SilenceKeeper } from './model/silence-keeper.ts';
import type { HookTimes } from './parts/hook-clock.ts';
import type { ToolRegistry } from './tools/tool-registry.ts';

/**
 * Everything of an agent that its runs need: its options with defaults filled in, and the registrations of its plugins.
 */
export interface AgentParts extends AgentIdentity {
  /** The agent as its runs record it; undefined if it was given neither id nor name. */
  readonly identity: RunAgent | undefined;
  readonly model: ChatModel;
  readonly instructions: string;
  /** The terms of a run without own options. */
  readonly modelTerms: ModelTerms;
  readonly providerTools: readonly ProviderTool[];
  readonly store: Store;
  readonly files: (run: RunIdentity) => Files;
  readonly tokens: TokenCounts;
  readonly log: Logger;
  readonly logLosses: LogLosses;
  readonly redactor: Redactor;
  /** The owner of tools that no plugin registered. Warnings about these tools carry its name. */
  readonly toolOwner: Owner;
  /** Undefined if the agent was given none. */
  readonly prices: Prices | undefined;
  readonly maxSteps: number;
  readonly maxStepsAnswer: boolean;
  readonly toolConcurrency: number;
  /** If undefined, the limit depends on the model's context. */
  readonly maxResultTokens?: number;
  readonly toolErrors: 'report' | 'throw';
  readonly hookTimeoutMs: number;
  readonly hookTimes: HookTimes;
  readonly closeTimeoutMs: number;
  readonly modelIdleMs: number;
  readonly modelTimeoutMs: number;
  /** Calls the model of a request, as code of no plugin. */
  readonly askModel: (request: ModelRequest, context: ModelContext) => Promise<ModelResponse>;
  readonly silence: SilenceKeeper;
  readonly claimMs: number;
  /** The session cache of this agent, or the one shared by all agents of the process. */
  readonly sessionCache: SessionCache;
  readonly tools: ToolRegistry;
  /** The tools of the agent at the root of the tree of runs, from which grants select. */
  readonly rootTools: ToolRegistry;
  readonly models: ModelRegistry;
  readonly host: LivePlugins;
  /**
   * Has the chains of the currently registered taps; for a child's agent, those of the taps that surround the child.
   */
  readonly onion: { readonly chains: Chains };
}

/** The settings with which a run calls its model. */
export interface ModelTerms {
  readonly settings: ModelSettings;
  readonly toolChoice: ToolChoice | undefined;
  readonly output: { readonly schema: OutputSchema; readonly validate: Validate } | undefined;
}

/**
 * Returns the agent's part in deleting the session of `run`: its files, the session paths of plugins, and their
 * listeners.
 */
export function deletionPartsOf({ files, host }: AgentParts, run: RunIdentity): DeletionParts {
  return {
    files: files(run),
    places: host.places,
    notify: host.handlesDeletions ? (session) => host.sessionDeleted(session) : undefined,
  };
}
