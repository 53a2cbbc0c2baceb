import { loadPrices, type ReadyAgent, type Redactor } from '@shallot/core/plugin';

import { logSink } from './lines/log-sink.ts';
import { traceSink } from './lines/trace-sink.ts';
import type { Sink } from './observe/activity.ts';
import type { Losses } from './observe/losses.ts';
import type { Settings } from './options.ts';
import { eventSink } from './otel/event-sink.ts';
import { metricSink } from './otel/metric-sink.ts';
import { loadOtelApi } from './otel/otel-api.ts';
import { RunAttributes } from './otel/run-attributes.ts';
import { editionOf, editionVariable } from './otel/semconv.ts';
import { spanSink } from './otel/span-sink.ts';

interface Surroundings {
  /** True if messages, arguments and results are recorded on spans. */
  readonly content: boolean;
  /** True if messages, arguments and results are recorded in events. */
  readonly events: boolean;
  /** Returns the agent, which is known once the first run begins. */
  readonly agent: () => ReadyAgent;
  readonly redactor: Redactor;
  readonly losses: Losses;
}

/** Returns the sinks that the options ask for. Spans come first, because the other sinks record their ids. */
export async function chosenSinks(settings: Settings, surroundings: Surroundings): Promise<Sink[]> {
  const { otel, log, trace, prices, sinks } = settings;
  return [
    ...(otel ? await openTelemetrySinks(settings, surroundings) : []),
    ...(log === false ? [] : [logSink(log)]),
    ...(trace === undefined ? [] : [await traceFiles(trace, prices, surroundings)]),
    ...sinks,
  ];
}

/** Returns the sinks for OpenTelemetry; none if it is not installed. */
async function openTelemetrySinks(
  { attributes: given, metricAttributes, usageOnRuns }: Settings,
  { content, events, redactor, losses, agent }: Surroundings,
): Promise<Sink[]> {
  const api = await loadOtelApi();
  if (api === undefined) return [];
  const attributes = new RunAttributes(
    { attributes: given, metricAttributes },
    { redact: redactor.text, lose: (error) => losses.count('attributes', error) },
  );
  const subject = { edition: editionOf(process.env[editionVariable]), agent, attributes };
  return [
    spanSink(api, { ...subject, content, usageOnRuns, redact: redactor.text }, losses),
    metricSink(api, subject),
    eventSink(api, { ...subject, content: events, redactor }),
  ];
}

async function traceFiles(
  trace: NonNullable<Settings['trace']>,
  prices: Settings['prices'],
  { redactor, losses }: Surroundings,
): Promise<Sink> {
  const known = prices && (await loadPrices(prices));
  return traceSink(typeof trace === 'string' ? { file: trace } : trace, { redactor, losses, prices: known });
}
