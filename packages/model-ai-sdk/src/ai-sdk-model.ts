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
import { providerError, type ErrorContext } from './errors/provider-error.ts';
import { listening } from './http/life-signs.ts';
import { cacheDialect } from './prompt/cache-dialect.ts';
import { callOptions } from './prompt/call-options.ts';
import { FileSupport } from './prompt/file-support.ts';
import { OptionsWatch } from './prompt/options-watch.ts';
import { PromptWriter } from './prompt/prompt.ts';
import { clientTools, foreignTools } from './prompt/provider-tools.ts';
import type { AiSdkLanguageModel } from './sdk/ai-sdk-language-model.ts';
import {
  checkLanguageModel,
  type CallOptions,
  type LanguageModel,
  type StreamPart,
} from './sdk/language-model.ts';
import { providerName } from './sdk/metadata.ts';
import { untilAborted } from './sdk/until-aborted.ts';
import { warningText } from './sdk/warnings.ts';

export interface AiSdkModelOptions
  extends ModelLimits, Pick<ErrorContext, 'secrets' | 'keySetting' | 'locate'> {
  /** The model's id. Default: the provider's name and the model's, such as `anthropic/claude-sonnet-5`. */
  readonly id?: string;
  /** The URL of the API, for telemetry. Default: that of the first request, if it is sent by `boundedFetch`. */
  readonly baseURL?: string | undefined;
  /** A warning to report with the first call. */
  readonly note?: string | undefined;
}

/**
 * Wraps a model of an AI SDK provider package (specification v3 or v4) as a `ChatModel`. It makes no retries. Anything
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
  readonly limits: ModelLimits;
  readonly cacheMarks: number;
  readonly #model: LanguageModel;
  readonly #context: ErrorContext;
  readonly #note: string | undefined;
  readonly #files: FileSupport;
  readonly #writer: PromptWriter;
  /** What was warned of already: a provider says it again with each call. */
  readonly #warned = new Set<string>();
  readonly #watched = new WeakSet<object>();
  /** Whether `boundedFetch` sees what comes: then nobody else has to report it. */
  #seesBytes = false;
  /** The origin of its requests. */
  #origin: string | undefined;
  #server: ModelServer | undefined;

  constructor(
    id: string,
    limits: ModelLimits,
    model: LanguageModel,
    { note, baseURL, ...context }: AiSdkModelOptions,
  ) {
    this.id = id;
    if (baseURL !== undefined) this.#sentTo(baseURL);
    this.limits = Object.freeze(limits);
    this.cacheMarks = cacheDialect(model)?.marks ?? 0;
    this.#model = model;
    this.#context = { ...context, id };
    this.#note = note;
    this.#files = new FileSupport(model);
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
        if (progress.began || !this.#files.learn(error, request.messages))
          throw providerError(error, this.#context, progress.began);
        this.#writer.forget();
      }
    }
  }

  takesFile(file: FilePart, role: 'user' | 'assistant' | 'tool'): boolean {
    return this.#files.takes(file, role);
  }

  async #attempt(
    request: ModelRequest,
    call: ModelContext,
    progress: { began: boolean },
  ): Promise<ModelResponse> {
    const options = callOptions(request, this.#model, this.#writer, call.signal);
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
    const content = result.content.flatMap((piece) => {
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
    // Raw chunks are the events of the provider, those too that the package has no part for.
    const asked = this.#seesBytes ? options : { ...options, includeRawChunks: true };
    const started = listening(listener, () => this.#model.doStream(asked));
    const { stream } = await untilAborted(
      started,
      signal,
      ({ stream: late }) => void late.cancel().catch(ignore),
    );
    progress.began = true;
    this.#seesBytes = listener.seesBytes;
    const answer = new StreamedAnswer(this.id, emit);
    await readAll(stream, answer, call);
    return answer.complete();
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

  /** What a package reads of its options is the same with each call. */
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

/** Reads a stream to its end, waiting for a consumer that is slow. An abort ends a read that is under way. */
async function readAll(
  stream: ReadableStream<StreamPart>,
  answer: StreamedAnswer,
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
      const pressure = answer.take(value);
      if (pressure !== undefined) await pressure;
    }
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** What a stream that is given up says is of no use to anybody. */
function ignore(): void {}
