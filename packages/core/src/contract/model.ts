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
  /** How many marks of `request.cache` the provider accepts. Default: 0; it then ignores them. */
  readonly cacheMarks?: number;
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
  /** Tools that the provider executes. A model ignores those of other providers. */
  readonly providerTools?: readonly ProviderTool[];
  readonly toolChoice?: ToolChoice;
  /** The ends of what the provider is asked to cache. */
  readonly cache?: CacheMarks;
  /** The shape that the answer must have. */
  readonly output?: OutputSchema;
  readonly settings: ModelSettings;
  /** JSON that layers and the model's adapter may read. */
  readonly metadata?: JsonObject;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** A tool that a provider executes itself, such as a web search. */
export interface ProviderTool {
  /** The provider and its name for the tool, such as `openai.web_search`. */
  readonly id: string;
  /** The name in calls and in `toolChoice`: that of the id, without the provider and a date. */
  readonly name: string;
  /** The provider's own settings of the tool. */
  readonly args: JsonObject;
}

/** What of a request a provider is asked to cache: its beginning, up to each mark. */
export interface CacheMarks {
  /** A mark at the end of the tools. */
  readonly tools?: boolean;
  /** A mark at the end of the instructions. */
  readonly instructions?: boolean;
  /** Marks at the ends of these messages, by id. */
  readonly messages?: readonly string[];
  /** How long it is kept. Default: the provider's. */
  readonly ttl?: '5m' | '1h';
}

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

/** Settings of the model calls of a run. */
export interface RunSettings extends ModelSettings {
  /** Which tools the model may call. One that forces a call holds until a tool was called in the run. Default: `auto`. */
  readonly toolChoice?: ToolChoice;
}

export type ProviderToolEntry = Pick<ProviderTool, 'id'> & Partial<Pick<ProviderTool, 'args'>>;

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

/**
 * Why a model stopped. `length` means that the output limit cut the answer off; `paused`, that the provider continues
 * with its own tools in the next step.
 */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'paused' | 'error' | 'other';

/** Pushes one chunk outwards. A promise that it returns is back-pressure. */
export type Emit<C = Chunk> = (chunk: C) => void | Promise<void>;

/**
 * A piece of an answer. `index` is the position of its part in the message's content. `restart` means: discard
 * everything so far, the answer restarts. The first `tool-call-delta` of a part has the call's id and name; a
 * `part-end` has the whole part if the deltas do not determine it, as for a file, a source, or a text with citations.
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
