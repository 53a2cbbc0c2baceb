export { messageOf, reasonOf } from './base/thrown.ts';
export { isTransient } from './base/is-transient.ts';
export { GrowingMessages } from './tokens/growing-messages.ts';
export { contextMeter, type ContextMeter } from './tokens/context-meter.ts';
export { noteErrorsBeside } from './hooks/errors-beside.ts';
export type { SourceLocation } from './base/errors.ts';
export { estimateTokens } from './tokens/estimate-tokens.ts';
export { replaceInText, rewriteText } from './files/rewrite-text.ts';
export { perKey } from './files/per-key.ts';
export { fitsPattern } from './options/fits-pattern.ts';
export type {
  Hooks,
  InputContext,
  ModelNext,
  ModelScope,
  Run,
  Scope,
  TapInfo,
  TapObserver,
  TapOptions,
  ToolNext,
  ToolScope,
} from './contract/hooks.ts';
export { hookNames, type HookName } from './base/hook-names.ts';
export { isInterrupt } from './contract/interrupt-signal.ts';
export { nearest } from './base/nearest.ts';
export { guardRequests, type GuardOptions, type RequestGuarded } from './base/net/guard-requests.ts';
export { lineNestedDeeper } from './base/line-nested-deeper.ts';
export { textPart, toolCallsOf } from './contract/messages.ts';
export type { Option, Report } from './options/option.ts';
export type { Shape, ShapeInput, ShapeOutput } from './options/option-shape.ts';
export { checkToolPatterns } from './options/check-tool-patterns.ts';
export { priceOption, pricesOption } from './options/prices-option.ts';
export { costOf, loadPrices } from './options/prices.ts';
export type { Price, Prices, PriceSource } from './contract/price.ts';
export { option, optionsSchema } from './options/options-schema.ts';
export { pluginApi, type PluginSetup, type PluginState, type ReadyAgent } from './contract/plugin.ts';
export { userCommandsKey, type UserCommand, type UserCommands } from './contract/services/user-command.ts';
export { pluginStatusKey } from './contract/services/plugin-status.ts';
export { approvalsKey } from './contract/services/approvals.ts';
export { timeLimitKey } from './contract/services/time-limit.ts';
export { redactionKey, type RedactionService } from './contract/services/redaction.ts';
export { preApprovalsKey, type PreApprovals } from './contract/services/pre-approval.ts';
export { joinInstructions } from './ready-made.ts';
export { createRedactor, type Redactor } from './redact/redactor.ts';
export { safeCut, type SafeCut } from './tokens/safe-cut.ts';
export { clipText } from './tokens/clip-text.ts';
export { clearResults, clipResults } from './tokens/shorten-results.ts';
export { isLasting, lastingResult } from './tokens/lasting.ts';
export { schemaCheck, type SchemaCheck } from './options/schema-check.ts';
export type { StandardSchemaWithJson } from './base/schema.ts';
export { serviceKey, type ServiceKey } from './contract/plugin.ts';
export type { AgentIdentity } from './contract/agent-identity.ts';
export type { ToolDisplay, ToolEffect, ToolLocation } from './contract/tool-display.ts';
export {
  decisionKinds,
  withUnseenInput,
  writtenInput,
  type ApprovalRequest,
  type Decision,
  type DecisionKind,
} from './contract/approval.ts';
export { replaceHidden, visible } from './contract/visible.ts';
export type { CallOutput } from './contract/interrupt.ts';
