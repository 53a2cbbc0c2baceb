import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import type { Usage } from '@shallot/core/model';

import type {
  Activity,
  ModelActivity,
  RunActivity,
  RunSink,
  Sink,
  ToolActivity,
} from '../observe/activity.ts';
import { meterSource, type OtelApi } from './otel-api.ts';
import {
  attribute,
  describeModel,
  instrument,
  operation,
  unknownModality,
  type Edition,
  type Instrument,
} from './semconv.ts';
import { failureOf, responseModel, type Attributes } from './span-attributes.ts';

/** Records the metrics of the GenAI conventions, while a meter provider is registered. */
export function metricSink(api: OtelApi, edition: Edition): Sink {
  const meterNow = meterSource(api);
  const recorders = new WeakMap<Meter, Recorder>();
  return {
    name: 'OpenTelemetry metrics',
    observe: () => {
      const meter = meterNow();
      if (meter === undefined) return undefined;
      const recorder = recorders.get(meter) ?? new Recorder(meter);
      recorders.set(meter, recorder);
      return edition === 'latest' ? new LatestMetrics(recorder) : new Metrics(recorder);
    },
  };
}

/** Makes each instrument of a meter when it is first used. */
class Recorder {
  readonly #meter: Meter;
  readonly #instruments = new Map<Instrument, (value: number, attributes: Attributes) => void>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  record(what: Instrument, value: number | undefined, attributes: Attributes): void {
    if (value === undefined) return;
    let record = this.#instruments.get(what);
    if (record === undefined) {
      record = recordWith(this.#meter, what);
      this.#instruments.set(what, record);
    }
    record(value, attributes);
  }
}

function recordWith(
  meter: Meter,
  { kind, name, unit, description, buckets }: Instrument,
): (value: number, attributes: Attributes) => void {
  if (kind === 'counter') {
    const counter: Counter = meter.createCounter(name, { unit, description });
    return (value, attributes) => counter.add(value, attributes);
  }
  const advice = buckets === undefined ? {} : { advice: { explicitBucketBoundaries: [...buckets] } };
  const histogram: Histogram = meter.createHistogram(name, { unit, description, ...advice });
  return (value, attributes) => histogram.record(value, attributes);
}

/** Edition 1.41: what model calls take. */
class Metrics implements RunSink {
  readonly #recorder: Recorder;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  ended(activity: Activity): void {
    if (activity.kind !== 'model') return;
    const about = recordCall(this.#recorder, activity);
    const { usage } = activity.response ?? {};
    const count = (type: string, tokens: number | undefined): void =>
      this.#recorder.record(instrument.tokenUsage, tokens, { ...about, [attribute.tokenType]: type });
    count('input', usage?.input);
    count('output', usage?.output);
  }
}

/** The latest edition: model calls, tool calls and runs. */
class LatestMetrics implements RunSink {
  readonly #recorder: Recorder;
  #modelCalls = 0;
  #toolCalls = 0;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  ended(activity: Activity): void {
    if (activity.kind === 'model') this.#endModel(activity);
    else if (activity.kind === 'tool') this.#endTool(activity);
    else if (activity.kind === 'run') this.#endRun(activity);
  }

  #endModel(activity: ModelActivity): void {
    this.#modelCalls += 1;
    const about = recordCall(this.#recorder, activity);
    const usage = activity.response?.usage;
    if (usage === undefined) return;
    for (const [what, tokens] of counted(usage)) {
      this.#recorder.record(what, tokens, { ...about, [attribute.tokenModality]: unknownModality });
    }
    this.#recorder.record(instrument.operationInputTokens, usage.input, about);
    this.#recorder.record(instrument.operationOutputTokens, usage.output, about);
  }

  #endTool(activity: ToolActivity): void {
    if (activity.interrupted) return;
    this.#toolCalls += 1;
    this.#recorder.record(instrument.toolDuration, secondsOf(activity), {
      [attribute.toolName]: activity.call.name,
      [attribute.toolType]: 'function',
      [attribute.agentName]: activity.run.info.agent,
      ...errorOf(activity),
    });
  }

  #endRun(activity: RunActivity): void {
    const about = { [attribute.agentName]: activity.info.agent };
    this.#recorder.record(instrument.agentDuration, secondsOf(activity), { ...about, ...errorOf(activity) });
    this.#recorder.record(instrument.agentInferenceCalls, this.#modelCalls, about);
    this.#recorder.record(instrument.agentToolCalls, this.#toolCalls, about);
  }
}

/** Records what both editions have of a model call. Gives the attributes that its other metrics share. */
function recordCall(recorder: Recorder, activity: ModelActivity): Attributes {
  const { request, response, startedAt, firstChunkAt } = activity;
  const { provider, model } = describeModel(request.model.id);
  const answeredBy = responseModel(response?.metadata);
  const about = {
    [attribute.operation]: operation.chat,
    [attribute.provider]: provider,
    [attribute.requestModel]: model,
    ...(answeredBy === undefined ? {} : { [attribute.responseModel]: answeredBy }),
  };
  recorder.record(instrument.operationDuration, secondsOf(activity), { ...about, ...errorOf(activity) });
  if (firstChunkAt !== undefined)
    recorder.record(instrument.timeToFirstChunk, (firstChunkAt - startedAt) / 1000, about);
  return about;
}

function counted(usage: Usage): [Instrument, number | undefined][] {
  return [
    [instrument.inputTokens, usage.input],
    [instrument.outputTokens, usage.output],
    [instrument.cacheReadTokens, usage.cacheRead],
    [instrument.cacheWriteTokens, usage.cacheWrite],
    [instrument.reasoningTokens, usage.reasoning],
  ];
}

function secondsOf({ startedAt, endedAt }: Activity): number | undefined {
  return endedAt === undefined ? undefined : (endedAt - startedAt) / 1000;
}

function errorOf(activity: RunActivity | ModelActivity | ToolActivity): Attributes {
  const failure = failureOf(activity);
  return failure === undefined ? {} : { [attribute.errorType]: failure };
}
