import type { RedactorOptions } from '../../redact/redactor.ts';
import { isSecretName } from '../../redact/secret-names.ts';
import type { ConfigPath } from '../modules/locate.ts';
import type { RedactConfig } from './config.ts';

/**
 * Whether a config gives secrets here: to plugins, models and stores as options, to providers as headers and settings.
 * Names, paths and numbers of its own are none.
 */
export function isSecretPlace(path: ConfigPath): boolean {
  return path.some(
    (segment) =>
      typeof segment === 'string' &&
      (['options', 'headers', 'provider', 'secrets'].includes(segment) || isSecretName(segment)),
  );
}

/** An address without a password, and a path, help whoever reads a log. */
export function isLikeSecret(text: string): boolean {
  return !/^(?:[\w.+-]+:\/\/[^@\s]*|(?:\.{0,2}|~|[A-Za-z]:)[\\/]\S*)$/.test(text);
}

/** What a redactor is to know by a config. */
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

/** What a program adds to that; its environment replaces the other one. */
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
