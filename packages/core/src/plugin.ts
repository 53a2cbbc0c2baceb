export { messageOf, reasonOf } from './base/thrown.ts';
export { isJsonObject } from './base/json.ts';
export { isTransient } from './base/is-transient.ts';
export { eachInTicks } from './base/each-in-ticks.ts';
export { GrowingMessages } from './tokens/growing-messages.ts';
export { contextMeter, type ContextMeter } from './tokens/context-meter.ts';
export { noteErrorsBeside } from './hooks/errors-beside.ts';
export type { SourceLocation } from './base/errors.ts';
export { estimateTokens } from './tokens/estimate-tokens.ts';
export { belowRoot, fullPath, rootedPath } from './files/rooted-path.ts';
export { replaceInText, rewriteText, type TextEdit } from './files/rewrite-text.ts';
export { keptKey } from './redact/kept-key.ts';
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
export { mapText, type TextLayer } from './hooks/text/map-text.ts';
export type { TextMapping } from './hooks/text/text-mapping.ts';
export type { TextStage } from './hooks/text/text-stage.ts';
export type { TextUnit } from './hooks/text/unit-stage.ts';
export type { Address, CallAddress } from './base/address.ts';
export { nearest } from './base/nearest.ts';
export { guardRequests, type GuardOptions, type RequestGuarded } from './base/net/guard-requests.ts';
export { lineNestedDeeper } from './base/json/line-nested-deeper.ts';
export { textPart, toolCallsOf } from './contract/messages.ts';
export type { BackgroundChild, ChildAgent } from './contract/work/child.ts';
export type { Option, Report } from './options/option.ts';
export type { Shape, ShapeInput, ShapeOutput } from './options/option-shape.ts';
export { checkToolPatterns, type ToolNaming } from './options/check-tool-patterns.ts';
export {
  foreignName,
  foreignTools,
  isOnlyForeign,
  toolsHere,
  type ForeignTool,
} from './options/foreign-tools.ts';
export { priceOption, pricesOption } from './options/prices-option.ts';
export { costOf, loadPrices } from './options/prices.ts';
export type { Price, Prices, PriceSource } from './contract/price.ts';
export { modelSettings } from './options/plain-options.ts';
export { option, optionsSchema } from './options/options-schema.ts';
export {
  sizeOption,
  tokenSizeOption,
  tokensOfSize,
  type Size,
  type TokenSize,
} from './options/size-option.ts';
export { rootOf } from './contract/root-of.ts';
export { pluginApi, type PluginSetup, type PluginState, type ReadyAgent } from './contract/plugin.ts';
export { userCommandsKey, type UserCommand, type UserCommands } from './contract/services/user-command.ts';
export { pluginStatusKey } from './contract/services/plugin-status.ts';
export { approvalsKey } from './contract/services/approvals.ts';
export type { CallMatcher, OwnRules, Touch } from './contract/permissions/call-matcher.ts';
export { callMatcherKey } from './contract/permissions/call-matcher-key.ts';
export {
  permissionEvaluatorKey,
  type PermissionEvaluator,
  type PermissionVerdict,
  type RuleDoubt,
  type RuleInForce,
} from './contract/permissions/permission-evaluator.ts';
export { argumentPattern } from './options/argument-covers.ts';
export { coversPart, coversTouch, coversWhole, type ReadCall } from './options/covers-part.ts';
export { readCall, type CallToRead } from './options/read-call.ts';
export { parsePermissionRule, type PermissionRule } from './contract/permissions/permission-rule.ts';
export type { KeptRules, PermissionFiles, PersonRules } from './contract/permissions/permission-files.ts';
export {
  permissionModes,
  ruleLists,
  type PermissionMode,
  type Permissions,
  type RuleList,
} from './contract/permissions/permissions.ts';
export { skillTextsKey, type SkillTexts } from './contract/services/skill-texts.ts';
export { shorteningKey, type Shortening } from './contract/services/shortening.ts';
export { timeLimitKey } from './contract/services/time-limit.ts';
export { toolServersKey } from './contract/services/tool-servers.ts';
export { redactionKey, type RedactionService } from './contract/services/redaction.ts';
export { preApprovalsKey, type PreApprovals } from './contract/services/pre-approval.ts';
export { joinInstructions } from './ready-made.ts';
export { createRedactor, type Redactor } from './redact/redactor.ts';
export { safeCut, type SafeCut } from './tokens/safe-cut.ts';
export { keptFilesOf } from './tokens/kept-files.ts';
export { clipText } from './tokens/clip-text.ts';
export { cutResult } from './tokens/cut-result.ts';
export { clearResults, clipResults } from './tokens/shorten-results.ts';
export { isLasting, lastingResult } from './tokens/lasting.ts';
export { schemaCheck, type SchemaCheck } from './options/schema-check.ts';
export type { StandardSchemaWithJson } from './base/schema.ts';
export { serviceKey, type ServiceKey } from './contract/plugin.ts';
export type { AgentIdentity } from './contract/agent-identity.ts';
export type { ToolDisplay, ToolEffect, ToolLocation } from './contract/tool-display.ts';
export {
  decisionKinds,
  keepScopes,
  isApproved,
  releaseOf,
  touchesOf,
  withApproval,
  withRelease,
  withTouches,
  withUnseenInput,
  writtenInput,
  type Always,
  type ApprovalDetails,
  type ApprovalRequest,
  type Decision,
  type DecisionKind,
  type Release,
} from './contract/approval.ts';
export { replaceHidden, visible } from './contract/visible.ts';
export {
  unknownEffect,
  unknownResultText,
  type CallOutput,
  type UnknownEffect,
  type UnknownEffectAnswer,
} from './contract/interrupt.ts';
