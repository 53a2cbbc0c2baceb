import { isChatModel } from '../model.ts';
import { checkPriority, type Priority } from '../order.ts';
import { isPlugin, isPluginFactory } from '../plugin.ts';
import { minNamedLength } from '../redact/redactor.ts';
import { isTool } from '../tool.ts';
import type { Config, PluginConfigEntry, ProviderModelEntry } from './config.ts';
import { isFiles, isStore } from './kinds.ts';
import { isPath, looksLikeFile } from './names.ts';
import type { Key, Shape } from './shape.ts';

const text = (what: string, fits?: (text: string) => string | undefined): Shape =>
  fits === undefined ? { kind: 'text', what } : { kind: 'text', what, fits };
const code = (what: string, is: (value: unknown) => boolean): Shape => ({ kind: 'code', what, is });
const either = (...of: readonly Shape[]): Shape => ({ kind: 'either', of });
const list = (of: Shape): Shape => ({ kind: 'list', of });
const object = (what: string, keys: Readonly<Record<string, Key>>): Shape => ({ kind: 'object', what, keys });

const boolean: Shape = { kind: 'boolean' };
const number: Shape = { kind: 'number' };
const count: Shape = { kind: 'number', whole: true, min: 1 };
const names = list(text('the id or name of a plugin'));

const moduleEntry = object('{ use, options }', {
  use: { shape: text('a path or a package'), required: true },
  options: { shape: { kind: 'anything' } },
});

const providerModelEntry = object('{ provider, model, baseURL, apiKey, … }', {
  provider: { shape: text('the name of a provider'), required: true },
  model: { shape: text("a model's name"), required: true },
  baseURL: { shape: text('a URL') },
  apiKey: { shape: { kind: 'text', what: '{ $env: NAME }', secret: true } },
  headers: { shape: { kind: 'record', of: { kind: 'text', what: 'a text', secret: true } } },
  contextTokens: { shape: either(count, text('`lookup`', contextTokensFit)) },
  outputTokens: { shape: count },
  api: { shape: { kind: 'choice', of: ['chat', 'responses'] } },
  options: { shape: { kind: 'record', of: { kind: 'anything' } } },
  package: { shape: text('the name of a package') },
} satisfies Record<keyof ProviderModelEntry, Key>);

const storeEntry = object('{ use, path, options }', {
  use: { shape: text('`memory`, `sqlite`, a path or a package'), required: true },
  path: { shape: text('a path') },
  options: { shape: { kind: 'anything' } },
});

const pluginEntry = object('{ use, id, options, priority, before, after, enabled, optional }', {
  use: {
    shape: either(
      text('the name of a plugin, a package or a path'),
      code('a plugin', (value) => isPlugin(value) || isPluginFactory(value)),
    ),
    required: true,
  },
  id: { shape: text('letters, digits, hyphens, and what else helps', idFits) },
  options: { shape: { kind: 'anything' } },
  priority: {
    shape: {
      kind: 'checked',
      what: 'a number from 0 to 100, or numbers by hook',
      // Whatever the value is, `checkPriority` refuses what is not a priority.
      check: (value, plugin) => checkPriority(value as Priority, plugin),
    },
  },
  before: { shape: names },
  after: { shape: names },
  enabled: { shape: boolean },
  optional: { shape: boolean },
} satisfies Record<keyof PluginConfigEntry, Key>);

const settings = object('an object of settings', {
  temperature: { shape: number },
  topP: { shape: number },
  topK: { shape: number },
  maxOutputTokens: { shape: count },
  stopSequences: { shape: list(text('a text')) },
  presencePenalty: { shape: number },
  frequencyPenalty: { shape: number },
  seed: { shape: { kind: 'number', whole: true } },
  headers: { shape: { kind: 'record', of: text('a text') } },
  provider: { shape: { kind: 'record', of: { kind: 'record', of: { kind: 'anything' } } } },
} satisfies Record<keyof NonNullable<Config['settings']>, Key>);

/** Every key of a config, and what it may hold. */
export const configShape = object('an object', {
  extends: { shape: either(text('a path or a package'), list(text('a path or a package'))) },
  name: { shape: text('a name') },
  model: {
    shape: either(
      text('`provider/model` or a path to a module', modelFits),
      moduleEntry,
      providerModelEntry,
      code('a model', isChatModel),
    ),
  },
  instructions: {
    shape: either(
      text('a text', instructionsFit),
      object('{ file }', { file: { shape: text('a path'), required: true } }),
    ),
  },
  tools: { shape: list(either(text('a path, a glob or a package'), code('a tool', isTool))) },
  plugins: {
    shape: list(
      either(text('the name of a plugin, a package or a path'), pluginEntry, code('a plugin', isPlugin)),
    ),
  },
  store: { shape: either(text('`memory`, `sqlite` or a path'), storeEntry, code('a store', isStore)) },
  files: { shape: either(text('`memory` or the path of a directory', filesFit), code('files', isFiles)) },
  maxSteps: { shape: count },
  maxStepsAnswer: { shape: boolean },
  toolConcurrency: { shape: count },
  toolErrors: { shape: { kind: 'choice', of: ['report', 'throw'] } },
  settings: { shape: settings },
  hookTimeoutMs: { shape: count },
  startTimeoutMs: { shape: count },
  closeTimeoutMs: { shape: count },
  modelIdleMs: { shape: count },
  modelTimeoutMs: { shape: count },
  log: { shape: { kind: 'choice', of: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] } },
  redact: {
    shape: object('{ secrets, patterns, environment }', {
      secrets: { shape: list(text('a text of 4 characters or more', secretFits)) },
      patterns: {
        shape: list(
          either(
            text('a regular expression', patternFits),
            code('a RegExp', (value) => value instanceof RegExp),
          ),
        ),
      },
      environment: { shape: boolean },
    } satisfies Record<keyof NonNullable<Config['redact']>, Key>),
  },
} satisfies Record<keyof Config, Key>);

function idFits(id: string): string | undefined {
  return id.trim() === '' ? 'write a text that is not empty' : undefined;
}

function modelFits(model: string): string | undefined {
  if (isPath(model)) return undefined;
  if (looksLikeFile(model)) return `write "./${model}" if it is a file`;
  return /^[^/\s]+\/\S+$/.test(model) ? undefined : 'write `provider/model`, or a path that begins with "./"';
}

/** A path in place of a text is never meant: the model would be told a file's name and nothing else. */
function instructionsFit(instructions: string): string | undefined {
  const isFile =
    !/\s/.test(instructions.trim()) && (isPath(instructions) || /\.(?:md|txt)$/.test(instructions));
  return isFile ? `write { file: ${instructions.trim()} } for the text of that file` : undefined;
}

function secretFits(secret: string): string | undefined {
  return secret === '' || secret.length >= minNamedLength
    ? undefined
    : 'write a longer one: this is found everywhere';
}

function patternFits(pattern: string): string | undefined {
  try {
    return new RegExp(pattern).test('') ? 'write one that does not match nothing' : undefined;
  } catch {
    return 'write a regular expression without slashes around it';
  }
}

function contextTokensFit(contextTokens: string): string | undefined {
  return contextTokens === 'lookup' ? undefined : 'write a number of tokens, or `lookup`';
}

function filesFit(files: string): string | undefined {
  return files === 'memory' || files === '.' || isPath(files)
    ? undefined
    : `write "./${files}" if it is a directory`;
}
