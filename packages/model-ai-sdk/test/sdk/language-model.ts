import type { AiSdkLanguageModel } from '../../src/sdk/ai-sdk-language-model.ts';
import type {
  CallOptions,
  GeneratedContent,
  GenerateResult,
  StreamPart,
} from '../../src/sdk/language-model.ts';

/** The answer of a fake model: the parts of a stream, or the content of a whole answer. */
export interface FakeAnswer {
  readonly stream?: readonly StreamPart[] | ReadableStream<StreamPart>;
  readonly content?: readonly GeneratedContent[];
  readonly result?: Partial<GenerateResult>;
  /** Thrown instead of answering. */
  readonly error?: unknown;
}

export interface FakeLanguageModel extends AiSdkLanguageModel {
  /** The options of each call. */
  readonly calls: CallOptions[];
}

const fakeUsage: GenerateResult['usage'] = {
  inputTokens: { total: 10, noCache: 7, cacheRead: 2, cacheWrite: 1 },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};

/** Returns the last part of a stream. */
export function finish(
  unified: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' | 'other' = 'stop',
  raw: string | undefined = unified,
): StreamPart {
  return { type: 'finish', finishReason: { unified, raw }, usage: fakeUsage };
}

/** Returns a stream of these parts, which then closes, stalls or fails. */
export function streamOf(
  parts: readonly StreamPart[],
  end: 'close' | 'stall' | Error = 'close',
): ReadableStream<StreamPart> {
  let next = 0;
  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        const part = parts[next];
        next += 1;
        if (part !== undefined) controller.enqueue(part);
        else if (end === 'close') controller.close();
        else if (end === 'stall') await new Promise<never>(() => {});
        else controller.error(end);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Creates a language model of the AI SDK with scripted answers, one per call. The last one is repeated. */
export function fakeLanguageModel(
  answers: FakeAnswer | readonly FakeAnswer[],
  {
    version = 'v4',
    provider = 'acme.chat',
  }: { readonly version?: 'v3' | 'v4'; readonly provider?: string } = {},
): FakeLanguageModel {
  const list: readonly FakeAnswer[] = Array.isArray(answers)
    ? (answers as readonly FakeAnswer[])
    : [answers as FakeAnswer];
  const calls: CallOptions[] = [];
  const next = (options: CallOptions): FakeAnswer => {
    const answer = list[Math.min(calls.push(options), list.length) - 1] ?? {};
    if ('error' in answer) throw answer.error;
    return answer;
  };
  return {
    specificationVersion: version,
    provider,
    modelId: 'fake-1',
    calls,
    async doGenerate(options: CallOptions): Promise<GenerateResult> {
      const { content = [], result } = next(options);
      return {
        content: [...content],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: fakeUsage,
        warnings: [],
        ...result,
      } as GenerateResult;
    },
    async doStream(options: CallOptions) {
      const { stream = [] } = next(options);
      return { stream: stream instanceof ReadableStream ? stream : streamOf(stream) };
    },
  };
}
