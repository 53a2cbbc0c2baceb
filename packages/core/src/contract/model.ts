import type { JsonObject } from '../base/json.ts';
import type { AssistantMessage, AssistantPart, FilePart, Message } from './messages.ts';
import type { Tool } from './tool.ts';
import type { Usage } from './usage.ts';

/** A language model. Whoever implements it makes no retries: those are a layer's work. */
export interface ChatModel {
  /** `provider/model`, for instance `openai/gpt-5`. */
  readonly id: string;
  readonly limits?: ModelLimits;
  /** The server that its requests go to, as far as it is known: before the first request it may be undefined. */
  readonly server?: ModelServer | undefined;
  /**
   * Returns true if the model accepts this file in a message of this role. Other files are replaced by text,
   * `fileAsText`. Without this method, all files are sent.
   */
  takesFile?(file: FilePart, role: 'user' | 'assistant' | 'tool'): boolean;
  /**
   * Answers a request. With `wantsChunks`, passes the answer to `emit` in chunks, and awaits the promise that `emit`
   * may return. Must reject when `signal` is aborted or the answer ends early: a returned answer counts as complete.
   */
  generate(request: ModelRequest, call: ModelContext): Promise<ModelResponse>;
}

/** A model in options: a value for a config's `model` (a name, a path, an entry), or the model itself. */
export type ModelName = string | JsonObject | ChatModel;

/** Whether something is a model: users make them themselves, and so they are told by what they have. */
export function isChatModel(value: unknown): value is ChatModel {
  if (typeof value !== 'object' || value === null) return false;
  const { id, generate }: Partial<ChatModel> = value;
  return typeof id === 'string' && typeof generate === 'function';
}

/** Where the API of a model is. */
export interface ModelServer {
  /** A host name or an IP address. */
  readonly address: string;
  readonly port: number;
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

/** A request to a model. Requests are frozen: layers create new ones instead of changing them. */
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
  /** The id is optional: the core adds one. */
  readonly message: Omit<AssistantMessage, 'id'> & { readonly id?: string };
  readonly usage?: Usage;
  readonly finish: FinishReason;
  /** JSON from the provider: its response id, the model's exact name, warnings. */
  readonly metadata?: JsonObject;
}

/** A response in short form: a string stands for one text part, and `finish` defaults to `stop`. */
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
 * A piece of an answer. `index` is the position of its part in the message's content. `restart` means: discard
 * everything so far, the answer restarts. The first `tool-call-delta` of a part has the call's id and name; a
 * `part-end` has the whole part if the deltas do not determine it, as for a file.
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
