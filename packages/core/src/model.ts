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
export { modelError, type ModelErrorCode, type ModelErrorInit } from './contract/model-error.ts';
export { addUsage, type RunUsage, type Usage } from './contract/usage.ts';
