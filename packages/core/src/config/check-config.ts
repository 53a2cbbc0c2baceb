import { isShallotError, ShallotError, type ErrorCode } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { isPlugin, isPluginFactory } from '../plugin.ts';
import { show } from '../show.ts';
import { configShape } from './config-keys.ts';
import type { Config } from './config.ts';
import { isReference } from './environment.ts';
import { formatPath, type ConfigPath, type ConfigSource } from './locate.ts';
import { describeShape, type Key, type Shape } from './shape.ts';

/**
 * Reports everything in a config that is not as the table of keys says. An empty file is an empty config. `written` is the
 * value before the environment was filled in.
 */
export function checkConfig(
  { value, written, locate }: Pick<ConfigSource, 'value' | 'locate'> & { readonly written?: unknown },
  report: (error: ShallotError) => void,
): Config {
  const config = value ?? {};
  check(configShape, config, [], (path, message, { code = 'CONFIG_INVALID', part = 'value' } = {}) => {
    const plugin = pluginAt(config, path);
    report(
      new ShallotError(code, {
        message: `${message}${adviceOnText(memberAt(written, path), memberAt(config, path))}`,
        at: locate(path, part),
        ...(plugin === undefined ? {} : { plugin }),
      }),
    );
  });
  // Whatever is not of this type was reported just now.
  return config;
}

/** A variable is read as what its default is; without one, it stays text. */
function adviceOnText(reference: unknown, text: unknown): string {
  if (!isReference(reference) || typeof text !== 'string') return '';
  const kind = /^\s*-?\d+(?:\.\d+)?\s*$/.test(text)
    ? 'number'
    : /^(?:true|false)$/.test(text)
      ? 'boolean'
      : undefined;
  if (kind === undefined) return '';
  return ` A variable is text unless its default says otherwise: write { $env: ${String(reference.$env)}, default: … } with a ${kind}.`;
}

function memberAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (current, key) =>
      typeof current === 'object' && current !== null ? Reflect.get(current, key) : undefined,
    value,
  );
}

/** What errors call an entry of the list of plugins. */
export function entryName(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (isPlugin(entry) || isPluginFactory(entry)) return entry.definition.name;
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { id, use } = entry as Record<string, unknown>;
  return typeof id === 'string' ? id : entryName(use);
}

function pluginAt(config: unknown, [key, index]: ConfigPath): string | undefined {
  if (key !== 'plugins' || typeof index !== 'number') return undefined;
  return entryName((config as { readonly plugins: readonly unknown[] }).plugins[index]);
}

type Fail = (
  path: ConfigPath,
  message: string,
  details?: { readonly code?: ErrorCode; readonly part?: 'key' | 'value' },
) => void;

function check(shape: Shape, value: unknown, path: ConfigPath, fail: Fail): void {
  if (isReference(value)) return;
  switch (shape.kind) {
    case 'text': {
      if (typeof value !== 'string' || value.trim() === '') return mismatch(shape, value, path, fail);
      const advice = shape.fits?.(value);
      if (advice !== undefined) mismatch(shape, value, path, fail, advice);
      return;
    }
    case 'boolean':
      if (typeof value !== 'boolean') mismatch(shape, value, path, fail);
      return;
    case 'number':
      if (!isNumber(shape, value)) mismatch(shape, value, path, fail);
      return;
    case 'choice':
      if (typeof value !== 'string' || !shape.of.includes(value)) {
        const like = typeof value === 'string' ? nearest(value, shape.of) : undefined;
        mismatch(shape, value, path, fail, like === undefined ? undefined : `did you mean "${like}"?`);
      }
      return;
    case 'list':
      if (!Array.isArray(value)) return mismatch(shape, value, path, fail);
      for (const [index, item] of value.entries()) check(shape.of, item, [...path, index], fail);
      return;
    case 'record':
      if (!isObject(value)) return mismatch(shape, value, path, fail);
      for (const [key, member] of Object.entries(value)) check(shape.of, member, [...path, key], fail);
      return;
    case 'object':
      if (!isObject(value)) return mismatch(shape, value, path, fail);
      checkKeys(shape.keys, value, path, fail);
      return;
    case 'code':
      if (!shape.is(value)) mismatch(shape, value, path, fail);
      return;
    case 'checked':
      checkWith(shape.check, value, path, fail);
      return;
    case 'either':
      checkEither(shape, value, path, fail);
      return;
    case 'anything':
  }
}

function isNumber({ whole, min, max }: Extract<Shape, { kind: 'number' }>, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (whole === true && !Number.isSafeInteger(value)) return false;
  return value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
}

function checkKeys(
  keys: Readonly<Record<string, Key>>,
  value: Readonly<Record<string, unknown>>,
  path: ConfigPath,
  fail: Fail,
): void {
  const known = Object.keys(keys);
  for (const [name, member] of Object.entries(value)) {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (key === undefined) fail([...path, name], unknownKey(name, known, path), { part: 'key' });
    else if (member !== undefined || key.required === true) check(key.shape, member, [...path, name], fail);
  }
  for (const [name, { required, shape }] of Object.entries(keys)) {
    if (required !== true || Object.hasOwn(value, name)) continue;
    fail(path, `${formatPath(path)} has no "${name}"; write ${describeShape(shape)}.`);
  }
}

function unknownKey(name: string, known: readonly string[], path: ConfigPath): string {
  const like = nearest(name, known);
  const where = path.length === 0 ? '' : ` in ${formatPath(path)}`;
  const advice = like === undefined ? `known are ${known.join(', ')}` : `did you mean "${like}"?`;
  return `There is no key "${name}"${where}; ${advice}${like === undefined ? '.' : ''}`;
}

function checkWith(
  run: (value: unknown, plugin: string) => void,
  value: unknown,
  path: ConfigPath,
  fail: Fail,
): void {
  try {
    run(value, formatPath(path.slice(0, -1)));
  } catch (error) {
    if (!isShallotError(error)) throw error;
    fail(path, error.message, { code: error.code });
  }
}

/** The alternative that a value was meant to be tells better what is wrong than a list of all. */
function checkEither(
  shape: Extract<Shape, { kind: 'either' }>,
  value: unknown,
  path: ConfigPath,
  fail: Fail,
): void {
  if (shape.of.some((option) => option.kind === 'code' && option.is(value))) return;
  const meant =
    meantObject(shape.of, value) ??
    shape.of.find(({ kind }) => {
      if (typeof value === 'string') return kind === 'text' || kind === 'choice';
      if (Array.isArray(value)) return kind === 'list';
      if (typeof value === 'number' || typeof value === 'boolean') return kind === typeof value;
      return isObject(value) && (kind === 'object' || kind === 'record');
    });
  if (meant === undefined) mismatch(shape, value, path, fail);
  else check(meant, value, path, fail);
}

/** Of several kinds of objects, the one whose required keys are there. */
function meantObject(of: readonly Shape[], value: unknown): Shape | undefined {
  if (!isObject(value)) return undefined;
  return of.find(
    (option) =>
      option.kind === 'object' &&
      Object.entries(option.keys).some(([name, key]) => key.required === true && Object.hasOwn(value, name)),
  );
}

function mismatch(shape: Shape, value: unknown, path: ConfigPath, fail: Fail, advice?: string): void {
  const name = path.length === 0 ? 'The config' : formatPath(path);
  const shown = shape.kind === 'text' && shape.secret === true ? 'not what it should be' : show(value);
  const sentence = `${name} is ${shown}; ${advice ?? `write ${describeShape(shape)}`}`;
  fail(path, /[.?]$/.test(sentence) ? sentence : `${sentence}.`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
