import type * as api from '@opentelemetry/api';

import manifest from '../../package.json' with { type: 'json' };
import { schemaUrl, type Edition } from './semconv.ts';

/** The API of OpenTelemetry, as the application has it: an optional peer. Logs came with 1.10. */
export type OtelApi = Omit<typeof api, 'logs'> & Partial<Pick<typeof api, 'logs'>>;

/** Returns the name, version and schema URL of our instrumentation scope. */
export function scopeOf(edition: Edition): readonly [string, string, { schemaUrl?: string }] {
  const url = schemaUrl[edition];
  return [manifest.name, manifest.version, url === undefined ? {} : { schemaUrl: url }];
}

/** Loads the API of OpenTelemetry. Returns undefined if `@opentelemetry/api` is not installed. */
export async function loadOtelApi(): Promise<OtelApi | undefined> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    if (isNotInstalled(error)) return undefined;
    throw error;
  }
}

function isNotInstalled(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes('@opentelemetry/api')
  );
}

/**
 * Returns a function that returns the meter of the registered meter provider; undefined while none is registered. A
 * provider may be registered at any time, and instruments that were made before it count nothing.
 */
export function meterSource(
  { metrics, createNoopMeter }: OtelApi,
  edition: Edition,
): () => api.Meter | undefined {
  const none = createNoopMeter();
  const scope = scopeOf(edition);
  let known: { readonly provider: object; readonly meter: api.Meter } | undefined;
  return () => {
    const provider = metrics.getMeterProvider();
    if (known?.provider !== provider) known = { provider, meter: provider.getMeter(...scope) };
    return known.meter === none ? undefined : known.meter;
  };
}

/** Returns a function that returns a logger, which takes events; undefined while there is none, or none is enabled. */
export function loggerSource({ logs }: OtelApi, edition: Edition): () => api.Logger | undefined {
  if (logs === undefined) return () => undefined;
  const scope = scopeOf(edition);
  let known: { readonly provider: object; readonly logger: api.Logger } | undefined;
  return () => {
    const provider = logs.getLoggerProvider();
    if (known?.provider !== provider) known = { provider, logger: provider.getLogger(...scope) };
    return known.logger.enabled() ? known.logger : undefined;
  };
}
