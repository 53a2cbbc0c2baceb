export { messageOf, reasonOf } from './base/thrown.ts';
export { isTransient } from './base/is-transient.ts';
export { contextMeter, type ContextMeter } from './tokens/context-meter.ts';
export { formatError, type ShallotErrorInit, type SourceLocation } from './base/errors.ts';
export { estimateTokens } from './tokens/estimate-tokens.ts';
export { replaceInText, rewriteText } from './files/rewrite-text.ts';
export { perKey } from './files/per-key.ts';
export { fitsPattern } from './options/fits-pattern.ts';
export type {
  CompleteResponse,
  Edit,
  Hook,
  HookFunctions,
  Hooks,
  Interceptor,
  LayerInfo,
  ModelNext,
  ModelScope,
  Next,
  NextOptions,
  PlaceReason,
  Run,
  Scope,
  TapInfo,
  TapObserver,
  TapOptions,
  ToolNext,
  ToolScope,
  WrapModelTapOptions,
  WrapRun,
  WrapToolTapOptions,
} from './contract/hooks.ts';
export { hookNames, type HookName } from './base/hook-names.ts';
export { isInterrupt } from './contract/interrupt-signal.ts';
export type { CallOutput, InterruptRequest } from './contract/interrupt.ts';
export type { LogLevel, LogStream } from './log/logger.ts';
export { nearest } from './base/nearest.ts';
export {
  guardRequests,
  type GuardedRequest,
  type GuardOptions,
  type RequestGuarded,
} from './base/net/guard-requests.ts';
export { lineNestedDeeper } from './base/line-nested-deeper.ts';
export { textPart, toolCallsOf, type Denial } from './contract/messages.ts';
export type { Option, Presence, Report } from './options/option.ts';
export type { Shape, ShapeInput, ShapeOutput } from './options/option-shape.ts';
export { checkToolPatterns, type ToolNaming } from './options/check-tool-patterns.ts';
export { pricesOption } from './options/prices-option.ts';
export { costOf, loadPrices, type Price, type Prices, type PriceSource } from './tokens/prices.ts';
export { option, optionsSchema } from './options/options-schema.ts';
export type { Priority, PriorityByHook } from './contract/priority.ts';
export {
  pluginApi,
  type GenerateRequest,
  type PluginDetails,
  type PluginSetup,
  type PluginSource,
  type PluginState,
  type ReadyAgent,
  type StateSpec,
} from './contract/plugin.ts';
export { userCommandsKey, type UserCommand, type UserCommands } from './contract/services/user-command.ts';
export { pluginStatusKey, type PluginStatus } from './contract/services/plugin-status.ts';
export { approvalsKey, type Approvals } from './contract/services/approvals.ts';
export { preApprovalsKey, type PreApprovals } from './contract/services/pre-approval.ts';
export { joinInstructions } from './ready-made.ts';
export { createRedactor, type Redactor, type RedactorOptions } from './redact/redactor.ts';
export { safeCut, type SafeCut } from './tokens/safe-cut.ts';
export { clipText } from './tokens/clip-text.ts';
export {
  clearResults,
  clipResults,
  type ClipOptions,
  type ShortenedResults,
} from './tokens/shorten-results.ts';
export { isLasting, lastingResult } from './tokens/lasting.ts';
export { schemaCheck, type SchemaCheck } from './options/schema-check.ts';
export type { SchemaOutput, StandardSchemaWithJson } from './base/schema.ts';
export { serviceKey, type ServiceKey } from './contract/plugin.ts';
export type { AgentIdentity } from './contract/agent-identity.ts';
export type { CountTokens, TokenCounts } from './contract/count-tokens.ts';
export type { AddToolOptions, ToolArguments } from './contract/tool.ts';
export type { ToolDisplay, ToolEffect, ToolKind, ToolLocation } from './contract/tool-display.ts';
export {
  decisionKinds,
  withUnseenInput,
  writtenInput,
  type ApprovalRequest,
  type Decision,
  type DecisionKind,
} from './contract/approval.ts';
export { characterNumber, replaceHidden, visible } from './contract/visible.ts';
