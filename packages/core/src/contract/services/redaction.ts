import type { JsonValue } from '../../base/json.ts';
import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { RunInfo } from '../run-info.ts';

/** The service of a redaction plugin for the core, and through it for other plugins. */
export interface RedactionService {
  /** Redacts a string that operators read: in logs, traces, telemetry and stored errors. Never throws. */
  readonly text: (text: string) => string;
  /** Redacts JSON to be stored and shown; returns the same value if there is nothing to redact. */
  readonly hide: (value: JsonValue, run: RunInfo) => JsonValue;
  /** Restores the values that `hide` replaced, as far as known; returns the same value if there are none. */
  readonly restore: (value: JsonValue, run: RunInfo) => JsonValue;
  /** Encrypts JSON that is stored but not shown; only `unseal` can read it. */
  readonly seal: (value: JsonValue) => JsonValue;
  /**
   * Decrypts a sealed value; returns any other value unchanged. @throws a `ShallotError` if this process cannot decrypt
   * it
   */
  readonly unseal: (value: JsonValue) => JsonValue;
}

const redactionPrefix = 'shallot/redaction/';

/** Returns the key for a plugin's redaction service, by the plugin's id. */
export function redactionKey(plugin: string): ServiceKey<RedactionService> {
  return serviceKey(`${redactionPrefix}${plugin}`);
}

/** Returns true for a service that is provided under a `redactionKey`. */
export function isRedaction(name: string, _service: unknown): _service is RedactionService {
  return name.startsWith(redactionPrefix);
}
