import type { JsonObject } from '../base/json.ts';
import type { AssistantMessage, AssistantPart, FilePart, Message } from './messages.ts';
import type { Tool } from './tool.ts';
import type { Usage } from './usage.ts';

/** A language model. Whoever implements it makes no retries: those are a layer's work. */
export interface ChatModel {
  /** `provider/model`, for instance `openai/gpt-5`. */
  readonly id: string;
  readonly limits?: ModelLimits;
  /**
   * Whether the model is sent this file as such, in a message of this role. What it is not sent counts as the text that
   * stands for it, `fileAsText`. Without it, the model takes all files.
   */
  takesFile?(file: FilePart, role: 'user' | 'assistant' | 'tool'): boolean;
  /**
   * Answers a request. With `wantsChunks` the answer is pushed through `emit` while it is made; a promise that `emit`
   * returns is back-pressure and is awaited. Rejects when `signal` is aborted and when the answer did not come to its
   * end: what is returned counts as complete.
   */
  generate(request: ModelRequest, call: ModelContext): Promise<ModelResponse>;
}

/** What stands for a model in options: what a config's `model` takes (a name, a path, an entry), or the model itself. */
export type ModelName = string | JsonObject | ChatModel;

/** Whether something is a model: users make them themselves, and so they are told by what they have. */
export function isChatModel(value: unknown): value is ChatModel {
  if (typeof value !== 'object' || value === null) return false;
  const { id, generate }: Partial<ChatModel> = value;
  return typeof id === 'string' && typeof generate === 'function';
}

/** Sizes in tokens, where they are known. */
export interface ModelLimits {
  readonly contextTokens?: number;
  readonly outputTokens?: number;
}

/** The circumstances of one model call. */
export interface ModelContext {
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly wantsChunks: boolean;
  /** Says something that a person should know, on the stream and in the log: a setting that was left out, for instance. */
  readonly warn?: (code: string, message: string) => void;
  /**
   * Says, while an answer is streamed, that the model is at work though there is no chunk yet: a byte came, for instance. Such
   * signs keep `modelIdleMs` from ending the call, until `modelTimeoutMs` has passed without a chunk.
   */
  readonly alive?: () => void;
}

/** What a model is asked. Layers make new requests instead of changing one: requests are frozen. */
export interface ModelRequest {
  /** The model that answers. A layer may pass on another one. */
  readonly model: ChatModel;
  /** The system text. Parts from several plugins are joined by a blank line. */
  readonly instructions: string;
  readonly messages: readonly Message[];
  /** Absent rather than empty when it reaches the model. */
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** The shape that the answer must have. */
  readonly output?: OutputSchema;
  readonly settings: ModelSettings;
  /** JSON that layers and the model's adapter may read. */
  readonly metadata?: JsonObject;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** A JSON Schema for an answer, with a name for providers that want one. */
export interface OutputSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Settings that providers have in common, and `provider` for those that only one has, by provider name. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly provider?: Readonly<Record<string, JsonObject>>;
}

/** A complete answer. */
export interface ModelResponse {
  /** The id may be missing: the core gives one. */
  readonly message: Omit<AssistantMessage, 'id'> & { readonly id?: string };
  readonly usage?: Usage;
  readonly finish: FinishReason;
  /** JSON from the provider: its response id, the model's exact name, warnings. */
  readonly metadata?: JsonObject;
}

/** A response as a hook may write it: text alone stands for one text part, and `finish` is `stop` unless it is given. */
export interface ModelResponseInput extends Omit<ModelResponse, 'message' | 'finish'> {
  readonly message: Omit<ModelResponse['message'], 'content'> & {
    readonly content: string | ModelResponse['message']['content'];
  };
  readonly finish?: FinishReason;
}

/** Why a model stopped. `length` means that the output limit cut the answer off. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' | 'other';

/** Pushes one chunk outwards. A promise that it returns is back-pressure. */
export type Emit<C = Chunk> = (chunk: C) => void | Promise<void>;

/**
 * A piece of an answer. `index` is the position of its part in the message's content. `restart` says: forget all that
 * came so far, the answer begins anew. The first `tool-call-delta` of a part carries the call's id and name; a
 * `part-end` has the whole part where the deltas do not say it, as of a file.
 */
export type Chunk =
  | { readonly type: 'text-delta'; readonly index: number; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly index: number; readonly text: string }
  | {
      readonly type: 'tool-call-delta';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      /** A piece of the argument text. */
      readonly text: string;
    }
  | { readonly type: 'part-end'; readonly index: number; readonly part?: AssistantPart }
  | { readonly type: 'restart' };
