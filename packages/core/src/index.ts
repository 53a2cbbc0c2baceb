export { createAgent, type Agent, type SessionView } from './agent.ts';
export type { AgentOptions, ResumeOptions, RunOptions } from './agent-options.ts';
export { isClaimLive, type Claim } from './claim.ts';
export { contextMeter, type ContextMeter } from './context-meter.ts';
export {
  errorCodes,
  formatError,
  formatLocation,
  isShallotError,
  isTransient,
  messageOf,
  reasonOf,
  ShallotError,
  type ErrorCode,
  type ShallotErrorInit,
  type SourceLocation,
} from './errors.ts';
export { estimateTokens } from './estimate-tokens.ts';
export type { RunStream } from './event-stream.ts';
export type { AgentEvent } from './events.ts';
export type {
  FileContent,
  FileEntry,
  Files,
  FileStat,
  ListOptions,
  ReadOptions,
  WriteOptions,
} from './files/files.ts';
export { fitsPattern } from './fits-pattern.ts';
export { safeName } from './files/safe-name.ts';
export {
  type CompleteResponse,
  type Edit,
  type Hook,
  type HookFunctions,
  type Hooks,
  type Interceptor,
  type ModelNext,
  type ModelScope,
  type Next,
  type NextOptions,
  type Run,
  type Scope,
  type TapInfo,
  type TapObserver,
  type TapOptions,
  type ToolNext,
  type ToolScope,
  type WrapModelTapOptions,
  type WrapRun,
  type WrapToolTapOptions,
} from './hooks.ts';
export { hookNames, type HookName } from './hook-names.ts';
export { isInterrupt, type InterruptSignal } from './interrupt-signal.ts';
export type { Answers, Interrupt, InterruptRequest, CallOutput } from './interrupt.ts';
export { answerInterrupts, pendingInterrupts } from './interrupts.ts';
export { abandonRun } from './give-up.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { Logger, LogLevel, LogStream } from './logger.ts';
export { memoryStore } from './memory-store.ts';
export { nearest } from './nearest.ts';
export { lineNestedDeeper } from './nesting.ts';
export {
  textOf,
  textPart,
  toolCallsOf,
  type AssistantMessage,
  type AssistantPart,
  type Denial,
  type FilePart,
  type Input,
  type Message,
  type MessageInput,
  type ReasoningPart,
  type SystemMessage,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type UserMessage,
} from './messages.ts';
export type {
  ChatModel,
  Chunk,
  Emit,
  FinishReason,
  ModelCall,
  ModelLimits,
  ModelName,
  ModelRequest,
  ModelResponse,
  ModelResponseInput,
  ModelSettings,
  OutputSchema,
  ToolChoice,
} from './model.ts';
export { modelError, type ModelErrorCode, type ModelErrorInit } from './model-error.ts';
export { refuseNode } from './node-version.ts';
export type { Option, Presence, Report } from './option.ts';
export type { Shape, ShapeInput, ShapeOutput } from './option-shape.ts';
export { option, optionsSchema } from './options-schema.ts';
export type { Priority, PriorityByHook } from './priority.ts';
export {
  isPlugin,
  isPluginFactory,
  pluginApi,
  type GenerateRequest,
  type Plugin,
  type PluginDefinition,
  type PluginEntry,
  type PluginFactory,
  type PluginInfo,
  type PluginPlacement,
  type PluginSetup,
  type PluginSource,
  type PluginState,
  type ReadyAgent,
  type StateSpec,
} from './plugin.ts';
export { definePlugin } from './define-plugin.ts';
export { preApprovalsKey, type PreApprovals } from './pre-approval.ts';
export {
  joinInstructions,
  logToolCalls,
  removeTools,
  returnDirectlyOn,
  withInstructions,
  withTools,
} from './ready-made.ts';
export { createRedactor, type Redactor, type RedactorOptions } from './redact/redactor.ts';
export type { Outcome, RunResult, StopReason } from './result.ts';
export type { RunInfo } from './run-info.ts';
export { safeCut, type SafeCut } from './safe-cut.ts';
export type { JsonSchema, Schema, SchemaOutput, StandardSchemaWithJson } from './schema.ts';
export { serviceKey, type ServiceKey } from './services.ts';
export type {
  JournalEntry,
  JournalledCall,
  OfferedTool,
  RunPosition,
  RunRecord,
  SessionChange,
  SessionFilter,
  SessionRecord,
  SessionSummary,
  StateEntry,
  StateRecord,
  Store,
} from './store.ts';
export type { CountTokens, TokenCounts } from './count-tokens.ts';
export {
  defineTool,
  isTool,
  type Tool,
  type ToolArguments,
  type ToolCall,
  type ToolContext,
  type ToolDefinition,
  type ToolEffect,
  type ToolOutput,
  type ToolResult,
  type AddToolOptions,
} from './tool.ts';
export { addUsage, type RunUsage, type Usage } from './usage.ts';
