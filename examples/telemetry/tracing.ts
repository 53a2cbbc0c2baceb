import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

/**
 * Registers an SDK, as applications do that export spans; the plugin finds it. `@opentelemetry/sdk-node` does the same
 * in one call, configured by environment variables. @returns a function that sends the remaining spans and shuts the
 * SDK down
 */
export function startTracing(url: string): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url });
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return () => provider.shutdown();
}
