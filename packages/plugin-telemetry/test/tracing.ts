import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { AsyncLocalStorageContextManager as ContextManager2 } from 'otel-context-async-hooks-2';
import {
  BasicTracerProvider,
  InMemorySpanExporter as InMemorySpanExporter2,
  SimpleSpanProcessor as SimpleSpanProcessor2,
} from 'otel-sdk-trace-2';

/** A finished span, with the members that all major versions of the SDK have in common. */
export interface FinishedSpan {
  readonly name: string;
  readonly kind: number;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly traceId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number; readonly message?: string };
  readonly events: readonly { readonly name: string; readonly attributes?: object }[];
  readonly links: readonly { readonly context: { readonly traceId: string; readonly spanId: string } }[];
  readonly ms: number;
}

/** A registered SDK that keeps its spans in memory. */
export interface Tracing extends Disposable {
  /** Returns the finished spans, in the order in which they began. */
  spans(): FinishedSpan[];
}

interface Started {
  spanContext(): { readonly spanId: string };
}

/** A span processor that records the order in which spans begin, because their times are too coarse for that. */
class StartOrder {
  readonly #places = new Map<string, number>();

  place(span: Started): number {
    return this.#places.get(span.spanContext().spanId) ?? -1;
  }

  onStart(span: Started): void {
    this.#places.set(span.spanContext().spanId, this.#places.size);
  }

  onEnd(): void {}

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

/** The real SDKs, by their major version. */
export const sdks: readonly (readonly [name: string, register: () => Tracing])[] = [
  [
    '3.x',
    () => {
      const exporter = new InMemorySpanExporter();
      const order = new StartOrder();
      const provider = new TracerProvider({ spanProcessors: [order, new SimpleSpanProcessor({ exporter })] });
      return registered(
        provider,
        new AsyncLocalStorageContextManager().enable(),
        () => exporter.getFinishedSpans(),
        order,
      );
    },
  ],
  [
    '2.x',
    () => {
      const exporter = new InMemorySpanExporter2();
      const order = new StartOrder();
      const provider = new BasicTracerProvider({
        spanProcessors: [order, new SimpleSpanProcessor2(exporter)],
      });
      return registered(provider, new ContextManager2().enable(), () => exporter.getFinishedSpans(), order);
    },
  ],
];

/** Registers the newest SDK, for tests that do not depend on the version. */
export function registerTracing(): Tracing {
  const [newest] = sdks;
  if (newest === undefined) throw new Error('there is no SDK');
  return newest[1]();
}

type Finished =
  | ReturnType<InMemorySpanExporter['getFinishedSpans']>
  | ReturnType<InMemorySpanExporter2['getFinishedSpans']>;

function registered(
  provider: Parameters<typeof trace.setGlobalTracerProvider>[0],
  manager: Parameters<typeof context.setGlobalContextManager>[0],
  finished: () => Finished,
  order: StartOrder,
): Tracing {
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(manager);
  return {
    spans: () =>
      [...finished()]
        .toSorted((a, b) => order.place(a) - order.place(b))
        .map((span) => ({
          name: span.name,
          kind: span.kind,
          id: span.spanContext().spanId,
          parentId: span.parentSpanContext?.spanId,
          traceId: span.spanContext().traceId,
          attributes: span.attributes,
          status: span.status,
          events: span.events,
          links: span.links,
          ms: span.duration[0] * 1000 + span.duration[1] / 1e6,
        })),
    [Symbol.dispose]: () => unregister(),
  };
}

/** Unregisters the SDK. */
export function unregister(): void {
  trace.disable();
  context.disable();
  metrics.disable();
}

/**
 * Returns the names of spans as a tree, in the order in which the spans began. Each name is indented by two more spaces
 * than its parent's.
 */
export function treeOf(spans: readonly FinishedSpan[]): string[] {
  const known = new Set(spans.map(({ id }) => id));
  const roots = spans.filter(({ parentId }) => parentId === undefined || !known.has(parentId));
  const lines = (span: FinishedSpan, depth: number): string[] => [
    `${'  '.repeat(depth)}${span.name}`,
    ...spans.filter(({ parentId }) => parentId === span.id).flatMap((child) => lines(child, depth + 1)),
  ];
  return roots.flatMap((root) => lines(root, 0));
}

/** Returns the only span with a name. */
export function spanNamed(spans: readonly FinishedSpan[], name: string): FinishedSpan {
  const found = spans.filter((span) => span.name === name);
  const [span] = found;
  if (span === undefined || found.length > 1) {
    throw new Error(
      `${found.length} spans are named ${name}; there are: ${spans.map((each) => each.name).join(', ')}`,
    );
  }
  return span;
}
