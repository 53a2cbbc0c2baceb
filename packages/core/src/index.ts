export type { ErrorCode } from './base/error-codes.ts';
export type { Agent, SessionView } from './agent.ts';
export { createAgent } from './create-agent.ts';
export type { AgentOptions, ResumeOptions, RunOptions } from './contract/agent-options.ts';
export { formatError, isShallotError, ShallotError } from './base/errors.ts';
export type { RunStream } from './run/event-stream.ts';
export type { AgentEvent } from './contract/events.ts';
export type { Answers, Interrupt } from './contract/interrupt.ts';
export { abandonRun } from './run/abandon-run.ts';
export {
  deleteSession,
  type DeleteSessionOptions,
  type Deletion,
} from './sessions/deletion/delete-session.ts';
export type { JsonObject, JsonValue } from './base/json.ts';
export type { Logger } from './log/logger.ts';
export { safeName } from './files/safe-name.ts';
export { memoryStore } from './sessions/stores/memory-store.ts';
export {
  textOf,
  type AssistantMessage,
  type AssistantPart,
  type Input,
  type Message,
  type MessageInput,
  type SystemMessage,
  type ToolMessage,
  type UserMessage,
} from './contract/messages.ts';
export type {
  Plugin,
  PluginDefinition,
  PluginEntry,
  PluginFactory,
  PluginInfo,
  PluginPlacement,
} from './contract/plugin.ts';
export { definePlugin } from './contract/define-plugin.ts';
export { logToolCalls, removeTools, returnDirectlyOn, withInstructions, withTools } from './ready-made.ts';
export type { Outcome, RunResult, StopReason } from './contract/result.ts';
export type { RunInfo } from './contract/run-info.ts';
export type { AnySchema, JsonSchema, Schema } from './base/schema.ts';
export {
  defineTool,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolDefinition,
  type ToolOutput,
  type ToolResult,
} from './contract/tool.ts';
