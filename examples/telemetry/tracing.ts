import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

/**
 * Registers an SDK, as applications do to have their spans sent; the plugin finds it. `@opentelemetry/sdk-node` does the same in
 * one call, from the variables of the environment. @returns a function that sends what is left, and ends
 */
export function startTracing(url: string): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url });
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return () => provider.shutdown();
}
