import type { JsonObject } from '../base/json.ts';
import type { AssistantMessage, AssistantPart, FilePart, Message } from './messages.ts';
import type { Tool } from './tool.ts';
import type { Usage } from './usage.ts';

/** A language model. Implementations must not retry, because that is the task of layers. */
export interface ChatModel {
  /** `provider/model`, such as `openai/gpt-5`. */
  readonly id: string;
  /**
   * Identifies the endpoint and credentials of its requests, without secrets: equal for equal settings. Two models are
   * the same if their ids and endpoints are equal; a model without an endpoint is only equal to itself.
   */
  readonly endpoint?: string | undefined;
  readonly limits?: ModelLimits;
  /** The server of its requests, if known; it may be undefined before the first request. */
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
  /** The number of marks of `request.cache` that the provider accepts. Default: 0; they are then ignored. */
  readonly cacheMarks?: number;
}

/** A model in plugin options: a value for a config's `model` (a name, a path, an entry), or the model itself. */
export type ModelName = string | JsonObject | ChatModel;

/** Returns true for a model, recognized by its members, because users implement models themselves. */
export function isChatModel(value: unknown): value is ChatModel {
  if (typeof value !== 'object' || value === null) return false;
  const { id, generate }: Partial<ChatModel> = value;
  return typeof id === 'string' && typeof generate === 'function';
}

/** The server of a model's API. */
export interface ModelServer {
  /** A host name or an IP address. */
  readonly address: string;
  readonly port: number;
}

/** Sizes in tokens; undefined if unknown. */
export interface ModelLimits {
  readonly contextTokens?: number;
  readonly outputTokens?: number;
}

/** The context of a model call. */
export interface ModelContext {
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly wantsChunks: boolean;
  /** Reports a warning on the stream and in the log, for example about an ignored setting. */
  readonly warn?: (code: string, message: string) => void;
  /**
   * Reports a sign of life while a response is streamed, such as a received byte. Signs of life prevent the
   * `modelIdleMs` timeout, until `modelTimeoutMs` has passed without a chunk.
   */
  readonly alive?: () => void;
}

/** A request to a model. Requests are frozen: layers create new ones instead of changing them. */
export interface ModelRequest {
  /** The model to call. A layer may replace it. */
  readonly model: ChatModel;
  /** The system prompt. Parts from several plugins are joined by a blank line. */
  readonly instructions: string;
  readonly messages: readonly Message[];
  /** Undefined instead of empty when it reaches the model. */
  readonly tools?: readonly Tool[];
  /** Tools that the provider executes. A model ignores those of other providers. */
  readonly providerTools?: readonly ProviderTool[];
  readonly toolChoice?: ToolChoice;
  /** The marks up to which the provider is asked to cache. */
  readonly cache?: CacheMarks;
  /** The schema that the answer must match. */
  readonly output?: OutputSchema;
  readonly settings: ModelSettings;
  /** JSON that layers and the model's adapter may read. */
  readonly metadata?: JsonObject;
}

/** The tools that a model may call in a step: any or none, none, at least one, or this one. Default: `auto`. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** A tool that a provider executes itself, such as a web search. */
export interface ProviderTool {
  /** The provider and its name for the tool, such as `openai.web_search`. */
  readonly id: string;
  /** The name in calls and in `toolChoice`: the id without the provider and without a date. */
  readonly name: string;
  /** The provider's own settings of the tool. */
  readonly args: JsonObject;
}

/** The parts of a request that a provider is asked to cache: its beginning, up to each mark. */
export interface CacheMarks {
  /** A mark at the end of the tools. */
  readonly tools?: boolean;
  /** A mark at the end of the instructions. */
  readonly instructions?: boolean;
  /** Marks at the ends of these messages, by id. */
  readonly messages?: readonly string[];
  /** The time to keep the cache. Default: the provider's. */
  readonly ttl?: '5m' | '1h';
}

/** A JSON Schema for an answer, with a name for providers that require one. */
export interface OutputSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Settings common to several providers, and `provider` for settings of one provider, by provider name. */
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

/** Settings of the model calls of a run. */
export interface RunSettings extends ModelSettings {
  /**
   * The tools that the model may call. A choice that forces a call applies until a tool was called in the run. Default:
   * `auto`.
   */
  readonly toolChoice?: ToolChoice;
}

/** A provider's tool as a config or `createAgent` names it. */
export type ProviderToolEntry = Pick<ProviderTool, 'id'> & Partial<Pick<ProviderTool, 'args'>>;

/** A complete response. */
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

/**
 * The reason why a model stopped. `length`: the output limit cut the answer off; `paused`: the provider continues with
 * its own tools in the next step.
 */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'paused' | 'error' | 'other';

/** Passes a chunk outwards. Await a returned promise before the next chunk: its receiver is slow. */
export type Emit<C = Chunk> = (chunk: C) => void | Promise<void>;

/**
 * A piece of a response. `index` is the index of its part in the message's content. `restart` means: discard everything
 * so far, the response restarts. The first `tool-call-delta` of a part has the call's id and name; a `part-end` has the
 * whole part if the deltas do not determine it, as for a file, a source, or a text with citations.
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
