import { loadPrices, type Redactor } from '@shallot/core/plugin';

import { logSink } from './lines/log-sink.ts';
import { traceSink } from './lines/trace-sink.ts';
import type { Sink } from './observe/activity.ts';
import type { Losses } from './observe/losses.ts';
import type { Settings } from './options.ts';
import { metricSink } from './otel/metric-sink.ts';
import { loadOtelApi } from './otel/otel-api.ts';
import { editionOf, editionVariable } from './otel/semconv.ts';
import { spanSink } from './otel/span-sink.ts';

interface Surroundings {
  /** Whether messages, arguments and results are recorded on spans. */
  readonly content: boolean;
  readonly redactor: Redactor;
  readonly losses: Losses;
}

/** The sinks that the options ask for. Spans come first: the others tell of their ids. */
export async function chosenSinks(
  { otel, log, trace, prices, sinks }: Settings,
  surroundings: Surroundings,
): Promise<Sink[]> {
  return [
    ...(otel ? await openTelemetrySinks(surroundings) : []),
    ...(log === false ? [] : [logSink(log)]),
    ...(trace === undefined ? [] : [await traceFiles(trace, prices, surroundings)]),
    ...sinks,
  ];
}

/** None where OpenTelemetry is not installed. */
async function openTelemetrySinks({ content, redactor, losses }: Surroundings): Promise<Sink[]> {
  const api = await loadOtelApi();
  if (api === undefined) return [];
  const edition = editionOf(process.env[editionVariable]);
  return [spanSink(api, { edition, content, redact: redactor.text }, losses), metricSink(api, edition)];
}

async function traceFiles(
  trace: NonNullable<Settings['trace']>,
  prices: Settings['prices'],
  { redactor, losses }: Surroundings,
): Promise<Sink> {
  const known = prices && (await loadPrices(prices));
  return traceSink(typeof trace === 'string' ? { file: trace } : trace, { redactor, losses, prices: known });
}
