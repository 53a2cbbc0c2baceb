export type { ProviderModelEntry } from './config/check/config.ts';
export { findCycle } from './base/json-schema/find-cycle.ts';
export { pointedAt, subschemas } from './base/json-schema/keywords.ts';
export { toMessage } from './contract/messages.ts';
export { fileAsText, textOfFile } from './contract/file-as-text.ts';
export type {
  Citation,
  FilePart,
  ProviderCallPart,
  ProviderResultPart,
  ReasoningPart,
  Source,
  SourcePart,
  TextPart,
  ToolCallPart,
} from './contract/messages.ts';
export type {
  CacheMarks,
  ChatModel,
  Chunk,
  Emit,
  FinishReason,
  ModelContext,
  ModelLimits,
  ModelServer,
  ModelName,
  ModelRequest,
  ModelResponse,
  ModelResponseInput,
  ModelSettings,
  OutputSchema,
  ProviderTool,
  ProviderToolEntry,
  RunSettings,
  ToolChoice,
} from './contract/model.ts';
export { responseFacts, type RateLimit, type ResponseFacts } from './contract/response-facts.ts';
export { parseArguments } from './contract/parse-arguments.ts';
export { modelError, type ModelErrorCode, type ModelErrorInit } from './contract/model-error.ts';
export { addUsage, type RunUsage, type Usage } from './contract/usage.ts';
