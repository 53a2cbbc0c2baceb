export { assembleContent } from './assemble-content.ts';
export { assertValidRequest } from './assert-valid-request.ts';
export { collectEvents, type CollectedEvents } from './collect-events.ts';
export { registerChecks, type ConformanceCheck, type TestRunner } from './conformance.ts';
export { emulateTools, type EmulateToolsOptions } from './emulate-tools.ts';
export { eventLines } from './event-lines.ts';
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
export type { CreateStore, StoreSubject } from './store/store-subject.ts';
export { fileChecks, testFiles, type CreateFiles, type TestFilesOptions } from './files/test-files.ts';
export { modelChecks, testModel, type CreateModel, type ModelScenario } from './test-model.ts';
export type { PluginSuite } from './plugin-suite.ts';
export { pluginChecks, testPlugin } from './test-plugin.ts';
export { storeChecks, testStore } from './store/test-store.ts';
export {
  hookTrace,
  traceHooks,
  type HookTrace,
  type TraceHooksOptions,
  type TracePlugin,
} from './trace-hooks.ts';
