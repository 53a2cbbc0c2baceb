import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { ShallotError } from '../base/errors.ts';
import { defaultStartTimeoutMs } from '../base/in-time.ts';
import { reasonOf } from '../base/thrown.ts';
import { protectFile } from '../files/protection/loaded-files.ts';
import { createRedactor, type Redactor, type RedactorOptions } from '../redact/redactor.ts';
import { secretsInValue } from '../redact/secret-values.ts';
import { checkConfig } from './check/check-config.ts';
import type { Config } from './check/config.ts';
import { fillEnvironment } from './check/environment.ts';
import { refuseWrittenKeys } from './check/refuse-written-keys.ts';
import { isLikeSecret, isSecretPlace, redactorOptions } from './check/secret-places.ts';
import { mergeConfigs, flatten, originIn, type MergedConfig } from './merge-configs.ts';
import type { ConfigPath, ConfigSource } from './modules/locate.ts';
import { resolveFile, resolveModule } from './modules/resolve-module.ts';
import { isPath } from './packages/names.ts';
import { readEnvFile, type EnvFile } from './read/env-file.ts';
import { findConfig } from './read/find-config.ts';
import { Problems } from './read/problems.ts';
import { readConfig } from './read/read-config.ts';
import { refuseChanged, type OnChangedFiles } from './read/refuse-changed.ts';
import { refuseForeign } from './read/refuse-foreign.ts';
import { TakenVariables, type CheckedConfig, type ValueOrigin } from './value-origin.ts';

/** Options of `loadConfig`: the location of the config file, and the environment. */
export interface LoadConfigOptions {
  /** The directory in which the search starts, and to which `path` is relative. Default: `process.cwd()`. */
  readonly cwd?: string;
  /** The path of the config file. Default: search for it. */
  readonly path?: string;
  /**
   * The environment for `$env` and for API keys of providers. The `.env` file beside the config supplies variables that
   * are not set here. Default: `process.env`.
   */
  readonly env?: Environment;
  /**
   * Called with the `.env` file before a config in code runs. Default: the variables are not added to `process.env`.
   */
  readonly onEnvFile?: (file: EnvFile) => void;
  /** Called once the config is read. The redactor removes secrets from errors of the following steps. */
  readonly onRedactor?: (redactor: Redactor) => void;
  /**
   * Called with files that changed while a session of the agent ran, before any of them is loaded. Returns true to load
   * them. Default: they are refused.
   */
  readonly onChangedFiles?: OnChangedFiles;
  /**
   * The time limit for the config's own code and for each module it names, in milliseconds. Overrides the config.
   * Default: 60,000.
   */
  readonly startTimeoutMs?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A config file that was read, merged with the files it extends, and checked. */
export interface LoadedConfig {
  /** All files merged, with references to the environment replaced. Names are as written. */
  readonly config: Config;
  /** The absolute path of the config file. */
  readonly path: string;
  readonly directory: string;
  /** The files read, each after those it extends. */
  readonly files: readonly string[];
  /** The absolute path of the `.env` file beside the config; undefined if there is none. */
  readonly envFile: string | undefined;
  /** The variables of `env` and of the `.env` file. */
  readonly env: Environment;
  /** The time limit for each module that the config names, in milliseconds. */
  readonly startTimeoutMs: number;
  /**
   * Options for a redactor: the environment, the config's own settings, and secrets that the config took from the
   * environment.
   */
  readonly redact: RedactorOptions;
  /** The same config, with the locations of its values. */
  readonly merged: MergedConfig;
  /** Returns the origin of the value at a path of `config`: `['plugins', 0, 'options', 'level']`. */
  readonly origin: (path: ConfigPath) => ValueOrigin;
}

/**
 * Finds and reads a config file and those it extends. Does not resolve the modules that it names. @throws
 * `CONFIG_NOT_FOUND`, `CONFIG_AMBIGUOUS`, `CONFIG_SYNTAX`, `CONFIG_FAILED`, `CONFIG_CYCLE`, `ESBUILD_MISSING`;
 * `CONFIG_INVALID`, `CONFIG_ENV` and `PRIORITY_RANGE` for all invalid values of all files together
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  return loadConfigFor(options, undefined);
}

/**
 * Loads a config of which only some keys are used: environment variables for other keys may be unset, and stay
 * references.
 */
export async function loadConfigFor(
  options: LoadConfigOptions,
  keys: readonly (keyof Config)[] | undefined,
): Promise<LoadedConfig> {
  const { cwd = process.cwd(), startTimeoutMs = defaultStartTimeoutMs } = options;
  const path = options.path === undefined ? await findConfig(cwd) : namedConfig(options.path, cwd);
  await refuseChanged(dirname(path), options.onChangedFiles);
  const envFile = readEnvFile(dirname(path));
  // A foreign `.env` is as dangerous as a foreign config.
  if (envFile !== undefined && options.path === undefined) refuseForeign(envFile.path, resolve(cwd));
  const { env: own = process.env } = options;
  // Computed before `onEnvFile`, which may add the variables to the environment.
  const fromFile = new Set(Object.keys(envFile?.values ?? {}).filter((name) => own[name] === undefined));
  const envFileOf = (name: string): string | undefined => (fromFile.has(name) ? envFile?.path : undefined);
  if (envFile !== undefined) options.onEnvFile?.(envFile);
  const env = { ...envFile?.values, ...own };
  const problems = new Problems();
  const secrets: string[] = [];
  const reading = { env, envFileOf, keys, problems, secrets, startTimeoutMs };
  const configs = await readWithBases(path, reading, []);
  problems.throwIfAny(`The config ${path} cannot be used`);
  for (const { source } of configs) protectFile(source.file);
  protectFile(join(dirname(path), '.env'));
  const merged = mergeConfigs(configs);
  const redact = redactorOptions(merged.plain.redact, env, secrets);
  options.onRedactor?.(createRedactor(redact));
  return {
    config: flatten(merged),
    path,
    directory: dirname(path),
    files: configs.map(({ source }) => source.file),
    startTimeoutMs: options.startTimeoutMs ?? merged.plain.startTimeoutMs ?? defaultStartTimeoutMs,
    envFile: envFile?.path,
    env,
    redact,
    merged,
    origin: (valuePath) => originIn(merged, valuePath),
  };
}

/** Returns the absolute path of a config file that was named. @throws `CONFIG_NOT_FOUND` */
export function namedConfig(named: string, cwd: string): string {
  const path = resolve(cwd, named);
  try {
    if (statSync(path).isFile()) return path;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const message = `There is no config file ${path}${isMissing ? '' : `: ${reasonOf(error)}`}. Fix the path.`;
    throw new ShallotError('CONFIG_NOT_FOUND', { message, at: { file: path }, cause: error });
  }
  throw new ShallotError('CONFIG_NOT_FOUND', {
    message: `"${named}" is not a file. Name the config file itself.`,
    at: { file: path },
  });
}

interface Reading {
  readonly env: Environment;
  /** Returns the `.env` file if the variable is set only there. */
  readonly envFileOf: (variable: string) => string | undefined;
  /** The keys of the config that are used; undefined for all. */
  readonly keys: readonly (keyof Config)[] | undefined;
  readonly problems: Problems;
  /** Receives values from the environment at places that hold secrets. */
  readonly secrets: string[];
  readonly startTimeoutMs: number;
}

/** Returns a file's config after those it extends. Unreadable files throw; invalid values are collected. */
async function readWithBases(
  file: string,
  reading: Reading,
  chain: readonly string[],
): Promise<CheckedConfig[]> {
  const source = await readConfig(file, reading.startTimeoutMs);
  const checked = checkSource(source, reading);
  const { config } = checked;
  const names = typeof config.extends === 'string' ? [config.extends] : config.extends;
  if (!Array.isArray(names)) return [checked];
  const bases: CheckedConfig[] = [];
  for (const [index, name] of names.entries()) {
    if (typeof name !== 'string') continue;
    const at = source.locate(typeof config.extends === 'string' ? ['extends'] : ['extends', index]);
    const place = { directory: source.directory, at };
    const base = isPath(name)
      ? resolveFile(name, place)
      : resolveModule(name, place, { kind: 'config' }).file;
    const files = [...chain, file];
    if (files.includes(base)) {
      throw new ShallotError('CONFIG_CYCLE', {
        message: `Configs extend each other in a cycle: ${[...files.slice(files.indexOf(base)), base].join(' > ')}. Remove one of these.`,
        at,
      });
    }
    bases.push(...(await readWithBases(base, reading, files)));
  }
  return [...bases, checked];
}

function checkSource(
  source: ConfigSource,
  { env, envFileOf, keys, problems, secrets }: Reading,
): CheckedConfig {
  const variables = new TakenVariables();
  refuseWrittenKeys(source, (error) => problems.add(error));
  const value = fillEnvironment(
    source,
    env,
    (error, [key]) => {
      if (keys === undefined || keys.some((each) => each === key)) problems.add(error);
    },
    (text, variable, place) => {
      variables.add(place, variable, envFileOf(variable));
      if (isSecretPlace(place) && isLikeSecret(text)) secrets.push(...secretsInValue(text));
    },
  );
  const report = (error: ShallotError): void => problems.add(error);
  const config = checkConfig({ ...source, value, written: source.value }, report);
  return { source, config, variables };
}

/**
 * Validates the text of a YAML config alone: its syntax, keys and values. Does not resolve modules; references to the
 * environment may be unset. @throws `CONFIG_SYNTAX`, `CONFIG_INVALID`, `PRIORITY_RANGE`; several together as
 * `SETUP_FAILED`
 */
export async function parseConfigText(text: string, path: string): Promise<Config> {
  const problems = new Problems();
  const { parseYaml } = await import('./read/parse-yaml.ts');
  const config = checkConfig(parseYaml(text, path), (error) => problems.add(error));
  problems.throwIfAny(`The config ${path} is not valid`);
  return config;
}
