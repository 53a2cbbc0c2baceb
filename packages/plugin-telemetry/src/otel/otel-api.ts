import type * as api from '@opentelemetry/api';

import manifest from '../../package.json' with { type: 'json' };

/** The API of OpenTelemetry, as the application has it: an optional peer. */
export type OtelApi = typeof api;

/** Names what makes our spans and metrics. */
export const scope = Object.freeze({ name: manifest.name, version: manifest.version });

/** Undefined where `@opentelemetry/api` is not installed. */
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
 * Gives the meter of whatever meter provider is registered when it is asked, or undefined while none is. A provider may be
 * registered at any time, and instruments that were made before count nothing.
 */
export function meterSource({ metrics, createNoopMeter }: OtelApi): () => api.Meter | undefined {
  const none = createNoopMeter();
  let known: { readonly provider: object; readonly meter: api.Meter } | undefined;
  return () => {
    const provider = metrics.getMeterProvider();
    if (known?.provider !== provider) {
      known = { provider, meter: provider.getMeter(scope.name, scope.version) };
    }
    return known.meter === none ? undefined : known.meter;
  };
}
