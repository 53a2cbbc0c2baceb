import { readFileSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';

import { isShallotError, ShallotError } from '../../base/errors.ts';
import { manifestConfig } from '../../base/json/manifest-config.ts';
import { reasonOf } from '../../base/thrown.ts';
import { describeExports } from '../modules/describe-exports.ts';
import { importFile } from '../modules/import-module.ts';
import { inStartTime } from '../modules/in-start-time.ts';
import type { ConfigSource } from '../modules/locate.ts';
import { whereThrown } from '../modules/where-thrown.ts';
import { configFormats } from './config-formats.ts';
import { locateInCode } from './locate-in-code.ts';

/**
 * Reads a config file of any format; of a `package.json`, its member `shallot`. @throws `CONFIG_NOT_FOUND`,
 * `CONFIG_SYNTAX`, `CONFIG_INVALID`; `CONFIG_FAILED` if the code of the config throws or takes too long;
 * `ESBUILD_MISSING`
 */
export async function readConfig(file: string, startTimeoutMs: number): Promise<ConfigSource> {
  const text = readText(file);
  if (basename(file) === 'package.json') return readManifest(file, text);
  switch (formatOf(file)) {
    case 'yaml':
      return (await import('./parse-yaml.ts')).parseYaml(text, file);
    case 'json':
      return (await import('./parse-json.ts')).parseJson(text, file);
    case 'module':
      return inStartTime(readModule(file, text), {
        what: 'The config',
        at: { file },
        startTimeoutMs,
        code: 'CONFIG_FAILED',
        // The config cannot raise its own limit.
        remedy: 'let your program pass a higher startTimeoutMs to loadAgent or loadConfig',
      });
    default:
      throw new ShallotError('CONFIG_INVALID', {
        message: `"${extname(file)}" is not a supported config extension; use ${Object.keys(configFormats).filter(Boolean).join(', ')}.`,
        at: { file },
      });
  }
}

function formatOf(file: string): string | undefined {
  const ending = extname(file);
  return Object.entries(configFormats).find(([known]) => known === ending)?.[1];
}

function readText(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof TypeError) {
      const message = 'The config is not UTF-8 text. Save it as UTF-8.';
      throw new ShallotError('CONFIG_SYNTAX', { message, at: { file }, cause: error });
    }
    throw new ShallotError('CONFIG_NOT_FOUND', {
      message: `The config file ${file} cannot be read: ${reasonOf(error)}. Name a readable file.`,
      at: { file },
      cause: error,
    });
  }
}

async function readManifest(file: string, text: string): Promise<ConfigSource> {
  const { parseJson } = await import('./parse-json.ts');
  const { locate, directory } = parseJson(text, file);
  const value = manifestConfig(text);
  if (value === undefined) {
    const message = 'This package.json contains no config: add one under the key "shallot".';
    throw new ShallotError('CONFIG_NOT_FOUND', { message, at: { file } });
  }
  return { file, directory, value, locate: (path, part) => locate(['shallot', ...path], part) };
}

async function readModule(file: string, text: string): Promise<ConfigSource> {
  const module = await importConfig(file);
  if (!('default' in module)) {
    throw new ShallotError('CONFIG_INVALID', {
      message: `The config exports ${describeExports(module)}. Write "export default defineConfig({ … })".`,
      at: { file },
    });
  }
  const value = await settled(module['default'], file);
  if (value === undefined || value === null) {
    const message = `The default export of the config is ${String(value)}. Write "export default defineConfig({ … })".`;
    throw new ShallotError('CONFIG_INVALID', { message, at: { file } });
  }
  if (typeof value === 'function') {
    const message =
      'The default export of the config is a function. Call it there, and export what it returns.';
    throw new ShallotError('CONFIG_INVALID', { message, at: { file } });
  }
  return { file, directory: dirname(file), value, locate: locateInCode(file, text, value) };
}

/** Awaits a config in code that exports a promise. */
async function settled(value: unknown, file: string): Promise<unknown> {
  try {
    return await value;
  } catch (cause) {
    const at = whereThrown(cause) ?? { file };
    const message = `The code of the config failed: ${reasonOf(cause)}.`;
    throw new ShallotError('CONFIG_FAILED', { message, at, cause });
  }
}

async function importConfig(file: string): ReturnType<typeof importFile> {
  try {
    return await importFile(file);
  } catch (error) {
    if (!isShallotError(error, 'MODULE_FAILED')) throw error;
    const { message, at, cause } = error;
    throw new ShallotError('CONFIG_FAILED', {
      message: `The code of the config failed: ${message}`,
      at: at ?? { file },
      cause,
    });
  }
}
