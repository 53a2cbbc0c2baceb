export { assembleContent } from './assemble-content.ts';
export { assertValidRequest } from './assert-valid-request.ts';
export {
  rateLimited,
  scriptedModel,
  type ScriptedAnswer,
  type ScriptedChunks,
  type ScriptedError,
  type ScriptedFunction,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  type ScriptedToolCall,
} from './scripted-model.ts';
