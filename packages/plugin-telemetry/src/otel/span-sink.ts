import type { Context, Link, Span, SpanContext, Tracer, TracerProvider } from '@opentelemetry/api';
import { messageOf } from '@shallot/core/plugin';

import type { Activity, Note, RunActivity, RunSink, Sink } from '../observe/activity.ts';
import type { Losses } from '../observe/losses.ts';
import type { Open } from '../observe/run-observer.ts';
import { spanContent } from './content.ts';
import { scopeOf, type OtelApi } from './otel-api.ts';
import { remembering } from './remembering.ts';
import type { RunAttributes } from './run-attributes.ts';
import { RunTotals } from './run-totals.ts';
import { attribute, interruptEvent, ownAttribute } from './semconv.ts';
import {
  endAttributes,
  failureOf,
  startAttributes,
  verbatim,
  type Attributes,
  type Spanned,
  type Subject,
} from './span-attributes.ts';
import { spanName } from './span-name.ts';

export interface SpanSettings extends Subject {
  /** The attributes of the application. */
  readonly attributes: RunAttributes;
  /** True if messages, arguments and results are recorded. */
  readonly content: boolean;
  /** True if the span of a run has the usage of its model calls. */
  readonly usageOnRuns: boolean;
  /** Redacts all recorded text. */
  readonly redact: (text: string) => string;
}

/** Makes spans by the GenAI conventions, while a tracer provider is registered. Steps have none. */
export function spanSink(api: OtelApi, settings: SpanSettings, losses: Losses): Sink {
  const name = 'OpenTelemetry spans';
  const remembered = { ...settings, redact: remembering(settings.redact) };
  const activityKey = api.createContextKey('shallot activity');
  const lose = (error: unknown): void => losses.count(name, error);
  const scope = scopeOf(settings.edition);
  /** The object behind the API's proxy while no SDK is registered, once it was seen. */
  let none: object | undefined;
  return {
    name,
    observe: (run) => {
      const provider = api.trace.getTracerProvider();
      const delegate = delegateOf(provider);
      if (delegate === none) return undefined;
      const tracer = provider.getTracer(...scope);
      const spans = new RunSpans({ api, tracer, activityKey, settings: remembered, lose });
      if (api.isSpanContextValid(spans.begin(run))) return spans;
      // The span has no valid trace, so the rest of the run need not be observed.
      none = delegate;
      return undefined;
    },
  };
}

/** Returns the registered provider: the API hands out a proxy for it. */
function delegateOf(provider: TracerProvider): object {
  const isProxy = 'getDelegate' in provider && typeof provider.getDelegate === 'function';
  const delegate: unknown = isProxy ? (provider as { getDelegate(): unknown }).getDelegate() : provider;
  return typeof delegate === 'object' && delegate !== null ? delegate : provider;
}

interface Tracing {
  readonly api: OtelApi;
  readonly tracer: Tracer;
  /** The key under which a context holds the activity that it was made for. */
  readonly activityKey: symbol;
  readonly settings: SpanSettings;
  readonly lose: (error: unknown) => void;
}

/** The spans of one run. */
class RunSpans implements RunSink {
  readonly #tracing: Tracing;
  /** The span of each activity in progress, and the context in which inner activities begin. */
  readonly #spans = new Map<Activity, { readonly span: Span; readonly context: Context }>();
  readonly #totals: RunTotals;

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
    this.#totals = new RunTotals({ countsUsage: tracing.settings.usageOnRuns });
  }

  started(activity: Activity): void {
    if (activity.kind !== 'step' && activity.kind !== 'run') this.begin(activity);
  }

  begin(activity: Spanned): SpanContext {
    const { api, tracer, activityKey, settings } = this.#tracing;
    const around = this.#contextFor(activity);
    const span = tracer.startSpan(
      spanName(activity, settings.redact),
      {
        kind: activity.kind === 'model' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL,
        attributes: {
          ...settings.attributes.of(activity.run).spans,
          ...this.#clean(startAttributes(activity, settings)),
        },
        links: linksOf(activity),
      },
      around,
    );
    this.#spans.set(activity, {
      span,
      context: api.trace.setSpan(around, span).setValue(activityKey, activity),
    });
    const reference = span.spanContext();
    const { traceId, spanId, traceFlags } = reference;
    if (api.isSpanContextValid(reference)) {
      // By the contract of an activity, this is the one field that this sink may set.
      (activity as Open<Activity>).span = { traceId, spanId, traceFlags };
    }
    return reference;
  }

  noted(activity: Activity, note: Note): void {
    if (note.type !== 'interrupt') return;
    const { id, kind, plugin, call } = note.interrupt;
    this.#spans.get(activity)?.span.addEvent(
      interruptEvent,
      this.#clean({
        [ownAttribute.interruptId]: id,
        [ownAttribute.interruptKind]: kind,
        [ownAttribute.plugin]: plugin,
        ...(call === undefined ? {} : { [attribute.toolCallId]: call.id, [attribute.toolName]: call.name }),
      }),
    );
  }

  ended(activity: Activity): void {
    const span = this.#spans.get(activity)?.span;
    if (span === undefined || activity.kind === 'step') return;
    this.#spans.delete(activity);
    if (activity.kind === 'model') this.#totals.add(activity);
    try {
      if (span.isRecording()) this.#finish(span, activity);
    } finally {
      span.end();
    }
  }

  within<T>(activity: Activity, work: () => T): T {
    const context = this.#spans.get(activity)?.context;
    return context === undefined ? work() : this.#tracing.api.context.with(context, work);
  }

  #finish(span: Span, activity: Spanned): void {
    const { api, settings, lose } = this.#tracing;
    span.setAttributes(this.#clean(endAttributes(activity, settings.edition, this.#totals)));
    const failure = failureOf(activity);
    if (failure !== undefined) {
      span.setAttribute(attribute.errorType, settings.redact(failure));
      const message = activity.failure === undefined ? '' : settings.redact(messageOf(activity.failure));
      span.setStatus({ code: api.SpanStatusCode.ERROR, message });
    }
    if (!settings.content || activity.kind === 'layer') return;
    try {
      span.setAttributes(this.#clean(spanContent(activity, settings.edition, this.#totals)));
    } catch (error) {
      // Values that JSON cannot hold are lost, but the span is useful without them.
      lose(error);
    }
  }

  /**
   * Returns the context for a span: that of the activity around it. The active context is used only if it was begun
   * inside that activity, for example by a span of the application, because a layer that queues calls may run them in
   * the context of another run. A worker may also resume a run in the context of another one, so the place from which
   * a run was submitted comes first.
   */
  #contextFor({ parent, run }: Activity): Context {
    const { api, activityKey } = this.#tracing;
    const active = api.context.active();
    let around = parent;
    while (around !== undefined && !this.#spans.has(around)) around = around.parent;
    if (around === undefined) return submittedFrom(api, run) ?? active;
    // The activity around has not ended, so the map contains its context.
    return active.getValue(activityKey) === around ? active : (this.#spans.get(around)?.context ?? active);
  }

  #clean(attributes: Attributes): Attributes {
    const { redact } = this.#tracing.settings;
    const clean: Attributes = {};
    for (const key of Object.keys(attributes)) {
      const value = attributes[key];
      if (value === undefined) continue;
      if (typeof value === 'number' || typeof value === 'boolean' || verbatim.has(key)) clean[key] = value;
      else clean[key] = typeof value === 'string' ? redact(value) : value.map(redact);
    }
    return clean;
  }
}

/**
 * Returns the context of the place that a run was submitted from; undefined for a run that continues a traced one, or was
 * submitted outside of a trace.
 */
function submittedFrom(api: OtelApi, { info, continues }: RunActivity): Context | undefined {
  if (continues !== undefined || info.traceparent === undefined) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = info.traceparent.split('-');
  const place = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return api.isSpanContextValid(place) ? api.trace.setSpanContext(api.context.active(), place) : undefined;
}

/** A resumed run has its own trace, which may begin days later and links to the one that it continues. */
function linksOf(activity: Spanned): Link[] {
  if (activity.kind !== 'run' || activity.continues === undefined) return [];
  return [{ context: { ...activity.continues, isRemote: true } }];
}
