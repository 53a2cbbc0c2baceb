import { showValue } from '../../base/describe-value.ts';
import type { ErrorCode } from '../../base/error-codes.ts';
import { ShallotError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { isPlugin } from '../../contract/plugin.ts';
import { formatPath, type ConfigPath, type ConfigSource } from '../modules/locate.ts';

/**
 * Returns a config with each `{ $env: NAME, default? }` replaced. An unset or empty variable yields the default, or an
 * error without one. Invalid references are reported, too. With a number or boolean as default, the text is converted
 * to that type. `taken` is called with each text used, its variable, and its path.
 */
export function fillEnvironment(
  { value, locate }: Pick<ConfigSource, 'value' | 'locate'>,
  environment: Readonly<Record<string, string | undefined>>,
  report: (error: ShallotError, path: ConfigPath) => void,
  taken: (text: string, variable: string, path: ConfigPath) => void = () => {},
): unknown {
  const fail = (path: ConfigPath, message: string, code: ErrorCode = 'CONFIG_ENV', key?: string): void => {
    const at = key === undefined ? locate(path) : locate([...path, key], 'key');
    report(new ShallotError(code, { message: `${formatPath(path)}: ${message}`, at }), path);
  };

  function fill(current: unknown, path: ConfigPath, parents: readonly unknown[]): unknown {
    if (typeof current === 'string') return filledText(current, path);
    if (!isPlain(current) || parents.includes(current)) return current;
    const misspelt = misspeltReference(current);
    if (misspelt !== undefined) {
      fail(path, `there is no "${misspelt}"; did you mean "$env"?`, 'CONFIG_INVALID', misspelt);
      return { $env: '' } satisfies Reference;
    }
    if (isReference(current)) return fromEnvironment(current, path);
    const inside = [...parents, current];
    const filled = Object.entries(current).map(([key, member]: [string, unknown]) => {
      const segment = Array.isArray(current) ? Number(key) : key;
      return [key, member, fill(member, [...path, segment], inside)] as const;
    });
    // Objects without references are kept, because in code they may be models or tools.
    if (filled.every(([, before, after]) => before === after)) return current;
    if (Array.isArray(current)) return filled.map(([, , after]) => after);
    return Object.fromEntries(filled.map(([key, , after]) => [key, after]));
  }

  /** Refuses a variable in the notation of shells, which would otherwise be used literally. */
  function filledText(text: string, path: ConfigPath): unknown {
    const [, name, fallback] = /^\$\{([A-Z_][A-Z0-9_]*)(?::-(.*))?\}$/.exec(text) ?? [];
    if (name === undefined) return text;
    const reference = `{ $env: ${name}${fallback === undefined ? '' : `, default: ${fallback}`} }`;
    fail(path, `it is "${text}", as shells write a variable; write ${reference}.`, 'CONFIG_INVALID');
    return { $env: name } satisfies Reference;
  }

  /**
   * Returns the value of a reference; the reference itself if it is invalid, which is reported here, so that later
   * checks ignore it.
   */
  function fromEnvironment(reference: Reference, path: ConfigPath): unknown {
    const { $env: name, default: fallback, ...others } = reference;
    const [unknownKey] = Object.keys(others);
    if (unknownKey !== undefined) {
      const isNear = nearest(unknownKey, ['default']) !== undefined;
      const advice = isNear ? 'did you mean "default"?' : 'only "default" is.';
      fail(path, `"${unknownKey}" is not allowed next to $env; ${advice}`, 'CONFIG_INVALID', unknownKey);
    } else if (typeof name !== 'string' || name === '') {
      fail(path, `$env is ${showValue(name)}; write the name of an environment variable.`);
    } else {
      const text = environment[name];
      if (text !== undefined && text !== '') {
        taken(text, name, path);
        return readAs(text, reference, name, path);
      }
      if ('default' in reference) return fallback;
      const state = text === undefined ? 'is not set' : 'is empty';
      fail(path, `the environment variable ${name} ${state}; set it, or add a default.`);
    }
    return reference;
  }

  function readAs(text: string, reference: Reference, name: string, path: ConfigPath): unknown {
    const received = `the environment variable ${name} is ${showValue(text)}`;
    if (typeof reference.default === 'number') {
      const number = Number(text);
      if (Number.isFinite(number) && text.trim() !== '') return number;
      fail(path, `${received}; set it to a number, like its default.`);
      return reference;
    }
    if (typeof reference.default !== 'boolean') return text;
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
    fail(path, `${received}; set it to true or false, like its default.`);
    return reference;
  }

  return fill(value, [], []);
}

interface Reference {
  readonly $env: unknown;
  readonly default?: unknown;
}

/** Returns true for a reference to the environment. */
export function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '$env');
}

/** Returns the key of an object that was meant as a reference: `$evn`; undefined for any other object. */
function misspeltReference(value: object): string | undefined {
  if (Array.isArray(value) || Object.hasOwn(value, '$env')) return undefined;
  return Object.keys(value).find((key) => key.startsWith('$') && nearest(key, ['$env']) !== undefined);
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || isPlugin(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
