import type { RedactorOptions } from '../../redact/redactor.ts';
import { isSecretName } from '../../redact/secret-names.ts';
import type { ConfigPath } from '../modules/locate.ts';
import type { RedactConfig } from './config.ts';

/**
 * Returns true if a config may contain secrets at a path: options of plugins, models and stores, headers and settings
 * of providers, tokens of a server. A value at any other path, such as a name, a path or a number, is not secret.
 */
export function isSecretPlace(path: ConfigPath): boolean {
  return path.some(
    (segment) =>
      typeof segment === 'string' &&
      (['options', 'headers', 'provider', 'secrets', 'tokens'].includes(segment) || isSecretName(segment)),
  );
}

/** Returns false for paths and for URLs without a password, which are useful in logs. */
export function isLikeSecret(text: string): boolean {
  return !/^(?:[\w.+-]+:\/\/[^@\s]*|(?:\.{0,2}|~|[A-Za-z]:)[\\/]\S*)$/.test(text);
}

/** Returns the redactor's options for a config. */
export function redactorOptions(
  { secrets = [], patterns = [], environment = true }: RedactConfig = {},
  env: Readonly<Record<string, string | undefined>>,
  fromEnvironment: readonly string[],
): RedactorOptions {
  return {
    secrets: [...secrets, ...fromEnvironment],
    patterns: patterns.map((pattern) => (typeof pattern === 'string' ? new RegExp(pattern) : pattern)),
    environment: environment ? env : false,
  };
}

/** Adds the redaction options of a program; its environment replaces that of the config. */
export function withMore(
  known: RedactorOptions,
  { secrets, patterns, ...more }: RedactorOptions = {},
): RedactorOptions {
  return {
    ...known,
    ...more,
    secrets: [...(known.secrets ?? []), ...(secrets ?? [])],
    patterns: [...(known.patterns ?? []), ...(patterns ?? [])],
  };
}
