export { type Agent, type SessionView } from './agent.ts';
export { createAgent } from './create-agent.ts';
export type { AgentOptions, ResumeOptions, RunOptions } from './contract/agent-options.ts';
export { isClaimLive, type Claim } from './base/claim.ts';
export { contextMeter, type ContextMeter } from './tokens/context-meter.ts';
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
} from './base/errors.ts';
export { estimateTokens } from './tokens/estimate-tokens.ts';
export type { RunStream } from './run/event-stream.ts';
export type { AgentEvent } from './contract/events.ts';
export type {
  FileContent,
  FileEntry,
  Files,
  FileStat,
  ListOptions,
  ReadOptions,
  WriteOptions,
} from './files/files.ts';
export { fitsPattern } from './base/fits-pattern.ts';
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
} from './contract/hooks.ts';
export { hookNames, type HookName } from './base/hook-names.ts';
export { isInterrupt, type InterruptSignal } from './contract/interrupt-signal.ts';
export type { Answers, Interrupt, InterruptRequest, CallOutput } from './contract/interrupt.ts';
export { answerInterrupts, pendingInterrupts } from './sessions/interrupts.ts';
export { abandonRun } from './run/give-up.ts';
export type { JsonObject, JsonValue } from './base/json.ts';
export type { Logger, LogLevel, LogStream } from './log/logger.ts';
export { memoryStore } from './sessions/memory-store.ts';
export { nearest } from './base/nearest.ts';
export { lineNestedDeeper } from './base/line-nested-deeper.ts';
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
} from './contract/messages.ts';
export type {
  ChatModel,
  Chunk,
  Emit,
  FinishReason,
  ModelContext,
  ModelLimits,
  ModelName,
  ModelRequest,
  ModelResponse,
  ModelResponseInput,
  ModelSettings,
  OutputSchema,
  ToolChoice,
} from './contract/model.ts';
export { modelError, type ModelErrorCode, type ModelErrorInit } from './contract/model-error.ts';
export { refuseNode } from './base/refuse-node.ts';
export type { Option, Presence, Report } from './options/option.ts';
export type { Shape, ShapeInput, ShapeOutput } from './options/option-shape.ts';
export { option, optionsSchema } from './options/options-schema.ts';
export type { Priority, PriorityByHook } from './contract/priority.ts';
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
} from './contract/plugin.ts';
export { definePlugin } from './contract/define-plugin.ts';
export { preApprovalsKey, type PreApprovals } from './contract/pre-approval.ts';
export {
  joinInstructions,
  logToolCalls,
  removeTools,
  returnDirectlyOn,
  withInstructions,
  withTools,
} from './ready-made.ts';
export { createRedactor, type Redactor, type RedactorOptions } from './redact/redactor.ts';
export type { Outcome, RunResult, StopReason } from './contract/result.ts';
export type { RunInfo } from './contract/run-info.ts';
export { safeCut, type SafeCut } from './tokens/safe-cut.ts';
export type { JsonSchema, Schema, SchemaOutput, StandardSchemaWithJson } from './base/schema.ts';
export { serviceKey, type ServiceKey } from './contract/services.ts';
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
} from './contract/store.ts';
export type { CountTokens, TokenCounts } from './contract/count-tokens.ts';
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
} from './contract/tool.ts';
export { addUsage, type RunUsage, type Usage } from './contract/usage.ts';
export {
  decisionKinds,
  type ApprovalRequest,
  type Decision,
  type DecisionKind,
} from './contract/approval.ts';
export { characterNumber, replaceHidden, visible } from './contract/visible.ts';
