export { fileAsText, textOfFile } from './contract/file-as-text.ts';
export type { FilePart, ReasoningPart, TextPart, ToolCallPart } from './contract/messages.ts';
export type {
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
  ToolChoice,
} from './contract/model.ts';
export { modelError, type ModelErrorCode, type ModelErrorInit } from './contract/model-error.ts';
export { addUsage, type RunUsage, type Usage } from './contract/usage.ts';
