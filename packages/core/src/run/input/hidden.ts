import { sameJson, type JsonValue } from '../../base/json.ts';
import type { RedactionService } from '../../contract/services/redaction.ts';
import type { JournalledCall } from '../../contract/store.ts';
import type { PluginsInRun } from '../plugins-in-run.ts';

/**
 * Returns JSON of a run with secrets replaced by placeholders, for storing and showing it. Tools and gates get the real
 * values.
 */
export function hidden<T>(plugins: PluginsInRun, value: T): T {
  if (plugins.parts.host.redactions.length === 0) return value;
  // The value is about to be stored, so it is JSON; redaction keeps its shape.
  return through(plugins, value as JsonValue, (service, given) => service.hide(given, plugins.ownView)) as T;
}

/** Returns the JSON with the placeholders replaced by the original values. */
export function restored(plugins: PluginsInRun, value: JsonValue): JsonValue {
  return through(plugins, value, (service, given) => service.restore(given, plugins.ownView));
}

/** Returns JSON encrypted for the code that stored it. @returns the same value if it contains nothing to redact */
export function sealed(plugins: PluginsInRun, value: JsonValue): JsonValue {
  const [service] = plugins.parts.host.redactions;
  if (service === undefined || sameJson(hidden(plugins, value), value)) return value;
  return service.seal(value);
}

/** Returns the value of sealed JSON. @throws the plugin's error if this process cannot read it */
export function unsealed(plugins: PluginsInRun, value: JsonValue): JsonValue {
  return through(plugins, value, (service, given) => service.unseal(given));
}

/** Returns a call with secrets replaced by placeholders, as it may be stored. */
export function hiddenCall(plugins: PluginsInRun, { name, input }: JournalledCall): JournalledCall {
  return { name, input: hidden(plugins, input) };
}

function through(
  plugins: PluginsInRun,
  value: JsonValue,
  pass: (service: RedactionService, value: JsonValue) => JsonValue,
): JsonValue {
  const { redactions } = plugins.parts.host;
  if (redactions.length === 0) return value;
  return redactions.reduce((given, service) => pass(service, given), value);
}
