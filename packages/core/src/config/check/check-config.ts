import type { ErrorCode } from '../../base/error-codes.ts';
import { isShallotError, ShallotError } from '../../base/errors.ts';
import { isObject, memberAt } from '../../base/is-object.ts';
import { isPlugin, isPluginFactory } from '../../contract/plugin.ts';
import { checkPriority } from '../../contract/priority.ts';
import { issueSentence, isUnknownOption } from '../../options/option-shape.ts';
import { readWhole } from '../../options/option.ts';
import { option } from '../../options/options-schema.ts';
import { formatPath, type ConfigPath, type ConfigSource } from '../modules/locate.ts';
import { configKeys } from './config-keys.ts';
import type { Config } from './config.ts';
import { isReference } from './environment.ts';

const configOption = option.object(configKeys);

/**
 * Validates a config against the table of keys; reports all faults in file order. An empty file is an empty config.
 * `written` is the value before references to the environment were replaced. References that remain are accepted, because
 * their faults are reported elsewhere.
 */
export function checkConfig(
  { value, written, locate }: Pick<ConfigSource, 'value' | 'locate'> & { readonly written?: unknown },
  report: (error: ShallotError) => void,
): Config {
  const config = value ?? {};
  const faults = [...faultsOf(config), ...priorityFaults(config)].filter(
    ({ path }) => !isInReference(config, path),
  );
  const errors = faults.map(({ code, message, path, part }) => {
    return new ShallotError(code, {
      message: `${message}${adviceOnText(memberAt(written, path), memberAt(config, path))}`,
      at: locate(path, part),
      plugin: pluginAt(config, path),
    });
  });
  for (const error of errors.toSorted(byPlace)) report(error);
  // The faults above cover every other type.
  return config;
}

function isInReference(config: unknown, path: ConfigPath): boolean {
  return [...path.keys(), path.length].some((length) => isReference(memberAt(config, path.slice(0, length))));
}

interface Fault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path: ConfigPath;
  readonly part: 'key' | 'value';
}

function faultsOf(config: unknown): Fault[] {
  return readWhole(configOption, config).issues.map(({ message, path }) => ({
    code: 'CONFIG_INVALID',
    message: issueSentence(message, path.length === 0 ? 'The config' : formatPath(path), keyIn(path)),
    path,
    part: isUnknownOption(message) ? 'key' : 'value',
  }));
}

function keyIn(path: ConfigPath): string {
  const parent = path.slice(0, -1);
  return `key "${path.at(-1)}"${parent.length === 0 ? '' : ` in ${formatPath(parent)}`}`;
}

function priorityFaults(config: unknown): Fault[] {
  const entries = memberAt(config, ['plugins']);
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((_, index) => {
    const path = ['plugins', index, 'priority'];
    const priority = memberAt(config, path);
    try {
      if (priority !== undefined) checkPriority(priority, formatPath(path.slice(0, -1)));
      return [];
    } catch (error) {
      if (!isShallotError(error)) throw error;
      return [{ code: error.code, message: error.message, path, part: 'value' }];
    }
  });
}

/** Compares errors by position; those without one come first. */
function byPlace({ at: a }: ShallotError, { at: b }: ShallotError): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}

/** Returns advice if a variable's text looks like a number or a boolean: it is converted only to the type of a default. */
function adviceOnText(reference: unknown, text: unknown): string {
  if (!isReference(reference) || typeof text !== 'string') return '';
  const kind = /^\s*-?\d+(?:\.\d+)?\s*$/.test(text)
    ? 'number'
    : /^(?:true|false)$/.test(text)
      ? 'boolean'
      : undefined;
  if (kind === undefined) return '';
  return ` A variable is a string unless its default has another type: write { $env: ${String(reference.$env)}, default: … } with a ${kind}.`;
}

/** Returns the name of a plugin entry for errors. */
export function entryName(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (isPlugin(entry) || isPluginFactory(entry)) return entry.definition.name;
  if (!isObject(entry)) return undefined;
  const { id, use } = entry;
  return typeof id === 'string' ? id : entryName(use);
}

function pluginAt(config: unknown, [key, index]: ConfigPath): string | undefined {
  if (key !== 'plugins' || typeof index !== 'number') return undefined;
  return entryName(memberAt(config, [key, index]));
}
