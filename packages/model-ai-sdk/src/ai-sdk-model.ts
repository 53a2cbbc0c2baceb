import type {
  ChatModel,
  FilePart,
  ModelContext,
  ModelLimits,
  ModelRequest,
  ModelResponse,
  ModelServer,
} from '@shallot/core/model';

import { addOther, answerPart } from './answer/answer-parts.ts';
import { toResponse, type Answer } from './answer/response.ts';
import { StreamedAnswer } from './answer/streamed-answer.ts';
import type { ReasoningTag } from './answer/tag-splitter.ts';
import { TaggedThoughts, withThoughts } from './answer/tagged-thoughts.ts';
import { providerError, type ErrorContext } from './errors/provider-error.ts';
import { listening } from './http/life-signs.ts';
import { cacheDialect } from './prompt/cache-dialect.ts';
import { callOptions } from './prompt/call-options.ts';
import { FileSupport } from './prompt/file-support.ts';
import { OptionsWatch } from './prompt/options-watch.ts';
import { PromptWriter } from './prompt/prompt.ts';
import { clientTools, foreignTools } from './prompt/provider-tools.ts';
import { ThoughtSupport } from './prompt/thought-support.ts';
import type { AiSdkLanguageModel } from './sdk/ai-sdk-language-model.ts';
import { checkLanguageModel } from './sdk/check-language-model.ts';
import type { CallOptions, LanguageModel, StreamPart } from './sdk/language-model.ts';
import { providerName } from './sdk/metadata.ts';
import { untilAborted } from './sdk/until-aborted.ts';
import { warningText } from './sdk/warnings.ts';

/** Options of `aiSdkModel`, with the limits of the model. */
export interface AiSdkModelOptions
  extends ModelLimits, Pick<ErrorContext, 'secrets' | 'keySetting' | 'locate'> {
  /** The id of the model. Default: the names of provider and model, such as `anthropic/claude-sonnet-5`. */
  readonly id?: string;
  /** The base URL of the API, for telemetry. Default: that of the first request made through `boundedFetch`. */
  readonly baseURL?: string | undefined;
  /** Distinguishes models with equal ids; see `ChatModel`. Default: each is a separate model. */
  readonly endpoint?: string | undefined;
  /** A warning to report with the first call. */
  readonly note?: string | undefined;
  /**
   * The tag in which the model writes its reasoning at the beginning of its text: `think`, for `<think>…</think>`. If
   * the model's template opens the tag: `{ name: 'think', opened: true }`. Default: the text is left as it is.
   */
  readonly reasoningTag?: string | ReasoningTag | undefined;
}

/**
 * Wraps a model of an AI SDK provider package (specification v2, v3 or v4) as a `ChatModel`. It makes no retries. Anything
 * the provider throws becomes one of the typed `MODEL_` errors.
 * @throws `OPTION_INVALID` for a model of another version
 */
export function aiSdkModel(languageModel: AiSdkLanguageModel, options: AiSdkModelOptions = {}): ChatModel {
  const model = checkLanguageModel(languageModel);
  const { contextTokens, outputTokens, id = `${providerName(model.provider)}/${model.modelId}` } = options;
  const limits = {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
  return new AiSdkModel(id, limits, model, options);
}

class AiSdkModel implements ChatModel {
  readonly id: string;
  readonly endpoint: string | undefined;
  readonly limits: ModelLimits;
  readonly cacheMarks: number;
  readonly #model: LanguageModel;
  readonly #context: ErrorContext;
  readonly #note: string | undefined;
  readonly #tag: ReasoningTag | undefined;
  readonly #files: FileSupport;
  readonly #thoughts: ThoughtSupport;
  readonly #writer: PromptWriter;
  /** Warnings already reported, because providers repeat them with each call. */
  readonly #warned = new Set<string>();
  readonly #watched = new WeakSet<object>();
  /** True if `boundedFetch` receives the bytes, and reports them as signs of life. */
  #seesBytes = false;
  /** The origin of the model's requests. */
  #origin: string | undefined;
  #server: ModelServer | undefined;

  constructor(
    id: string,
    limits: ModelLimits,
    model: LanguageModel,
    { note, baseURL, endpoint, reasoningTag, ...context }: AiSdkModelOptions,
  ) {
    this.id = id;
    this.endpoint = endpoint;
    if (baseURL !== undefined) this.#sentTo(baseURL);
    this.limits = Object.freeze(limits);
    this.cacheMarks = cacheDialect(model)?.marks ?? 0;
    this.#model = model;
    this.#context = { ...context, id };
    this.#note = note;
    this.#tag = typeof reasoningTag === 'string' ? { name: reasoningTag } : reasoningTag;
    this.#files = new FileSupport(model);
    this.#thoughts = new ThoughtSupport(model);
    this.#writer = new PromptWriter(model, this.#files);
  }

  get server(): ModelServer | undefined {
    return this.#server;
  }

  async generate(request: ModelRequest, call: ModelContext): Promise<ModelResponse> {
    call.signal.throwIfAborted();
    for (;;) {
      const progress = { began: false };
      try {
        return await this.#attempt(request, call, progress);
      } catch (error) {
        call.signal.throwIfAborted();
        const canRepeat =
          !progress.began && (this.#thoughts.learn(error) || this.#files.learn(error, request.messages));
        if (!canRepeat) throw providerError(error, this.#contextOf(request), progress.began);
        this.#writer.forget();
      }
    }
  }

  /** Treats request headers as secrets, because a server may repeat them in an error message. */
  #contextOf({ settings: { headers } }: ModelRequest): ErrorContext {
    if (headers === undefined) return this.#context;
    return { ...this.#context, secrets: [...(this.#context.secrets ?? []), ...Object.values(headers)] };
  }

  takesFile(file: FilePart, role: 'user' | 'assistant' | 'tool'): boolean {
    return this.#files.takes(file, role);
  }

  async #attempt(
    request: ModelRequest,
    call: ModelContext,
    progress: { began: boolean },
  ): Promise<ModelResponse> {
    this.#writer.forget(this.#files.fit(request));
    const writing = { model: this.#model, writer: this.#writer, wantsThoughts: this.#thoughts.isAsked };
    const options = callOptions(request, writing, call.signal, (change) => this.#warn([change], call));
    this.#warn(foreignTools(request.providerTools, this.#model), call);
    for (const note of this.#writer.takeNotes()) call.warn?.('FILE_NOT_SENT', `${this.id}: ${note}`);
    const watch = this.#watchOnce(request.settings.provider);
    const watched = watch === undefined ? options : watch.around(options);
    const answer = call.wantsChunks
      ? await this.#stream(watched, call, progress)
      : await this.#answer(watched, call);
    if (watch !== undefined) this.#warn(watch.unread(), call);
    this.#warn(clientTools(request.providerTools, answer.content), call);
    this.#warn(this.#note === undefined ? answer.warnings : [this.#note, ...answer.warnings], call);
    return toResponse({ id: this.id, provider: this.#model.provider }, answer);
  }

  async #answer(options: CallOptions, { signal }: ModelContext): Promise<Answer> {
    const listener = { alive: ignore, seesBytes: this.#seesBytes, sentTo: this.#sentTo };
    const started = listening(listener, () => this.#model.doGenerate(options));
    const result = await untilAborted(started, signal);
    const others: Answer['others'][number][] = [];
    const content = withThoughts(result.content, this.#tag).flatMap((piece) => {
      const part = answerPart(piece);
      if (part === undefined) addOther(others, piece);
      return part ?? [];
    });
    const { finishReason, usage, response, warnings, providerMetadata } = result;
    return {
      content,
      finishReason,
      usage,
      response,
      warnings: warnings.map(warningText),
      providerMetadata,
      others,
    };
  }

  async #stream(options: CallOptions, call: ModelContext, progress: { began: boolean }): Promise<Answer> {
    const { signal, emit } = call;
    const listener = {
      alive: call.alive ?? ignore,
      seesBytes: this.#seesBytes,
      sentTo: this.#sentTo,
    };
    // Raw chunks include events for which the package has no part, so they show that the provider is alive.
    const asked = this.#seesBytes ? options : { ...options, includeRawChunks: true };
    const started = listening(listener, () => this.#model.doStream(asked));
    const { stream, response } = await untilAborted(
      started,
      signal,
      ({ stream: late }) => void late.cancel().catch(ignore),
    );
    progress.began = true;
    this.#seesBytes = listener.seesBytes;
    const answer = new StreamedAnswer(this.id, emit);
    await readAll(stream, { answer, thoughts: this.#tag && new TaggedThoughts(this.#tag) }, call);
    return answer.complete(response?.headers);
  }

  readonly #sentTo = (url: string): void => {
    if (!URL.canParse(url)) return;
    const { origin, hostname, port, protocol } = new URL(url);
    if (origin === this.#origin) return;
    this.#origin = origin;
    this.#server = Object.freeze({
      address: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
    });
  };

  /** Watches options only once, because a package reads the same ones in each call. */
  #watchOnce(given: ModelRequest['settings']['provider']): OptionsWatch | undefined {
    if (given === undefined || this.#watched.has(given)) return undefined;
    this.#watched.add(given);
    return new OptionsWatch(given);
  }

  #warn(warnings: readonly string[], { warn }: ModelContext): void {
    for (const warning of warnings) {
      if (this.#warned.has(warning) || this.#warned.size >= 100) continue;
      this.#warned.add(warning);
      warn?.('MODEL_WARNING', `${this.id}: ${warning}`);
    }
  }
}

/** Reads a stream to its end, waiting for slow consumers. An abort ends a pending read. */
async function readAll(
  stream: ReadableStream<StreamPart>,
  { answer, thoughts }: { readonly answer: StreamedAnswer; readonly thoughts: TaggedThoughts | undefined },
  { signal, alive }: ModelContext,
): Promise<void> {
  const reader = stream.getReader();
  const stop = (): void => void reader.cancel(signal.reason).catch(ignore);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      alive?.();
      for (const part of thoughts?.take(value) ?? [value]) {
        const pressure = answer.take(part);
        if (pressure !== undefined) await pressure;
      }
    }
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Ignores errors of an abandoned stream. */
function ignore(): void {}
