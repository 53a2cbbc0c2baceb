import type { SourceLocation } from '../base/errors.ts';
import { memberAt } from '../base/is-object.ts';
import type { Config } from './check/config.ts';
import type { ConfigPath, ConfigSource, Mention } from './modules/locate.ts';

/** The origin of a value of a config. */
export type ValueOrigin =
  /** Written in a config file, also as the default of a reference. */
  | { readonly from: 'file'; readonly at: SourceLocation }
  | {
      readonly from: 'environment';
      readonly variable: string;
      /** The `.env` file that sets the variable; undefined if the process environment does. */
      readonly envFile?: string;
      /** The location of the reference. */
      readonly at: SourceLocation;
    }
  /** Not written anywhere. */
  | { readonly from: 'default' };

/** A validated config file, with the environment variables it uses. */
export interface CheckedConfig {
  readonly source: ConfigSource;
  readonly config: Config;
  readonly variables: TakenVariables;
}

/** The values of a config that come from the environment, by path. */
export class TakenVariables {
  readonly #taken = new Map<string, { readonly variable: string; readonly envFile?: string }>();

  add(path: ConfigPath, variable: string, envFile: string | undefined): void {
    this.#taken.set(keyOf(path), { variable, ...(envFile !== undefined && { envFile }) });
  }

  at(path: ConfigPath): { readonly variable: string; readonly envFile?: string } | undefined {
    return this.#taken.get(keyOf(path));
  }
}

function keyOf(path: ConfigPath): string {
  return JSON.stringify(path);
}

/** A mention that knows the origin of its value and of the values inside. */
export interface SourcedMention<T> extends Mention<T> {
  readonly origin: (path?: ConfigPath) => ValueOrigin;
}

/** Returns the mention of the value at a path of a config file. */
export function mention<T>(
  { source, config, variables }: CheckedConfig,
  path: ConfigPath,
  value: T,
): SourcedMention<T> {
  return {
    value,
    directory: source.directory,
    locate: (inner = [], part) => source.locate([...path, ...inner], part),
    origin: (inner = []) => {
      const whole = [...path, ...inner];
      if (memberAt(config, whole) === undefined) return { from: 'default' };
      const at = source.locate(whole);
      const taken = variables.at(whole);
      return taken === undefined ? { from: 'file', at } : { from: 'environment', ...taken, at };
    },
  };
}
