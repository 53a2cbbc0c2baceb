import { hookNames } from '../../base/hook-names.ts';
import { nearest } from '../../base/nearest.ts';
import type { JsonSchema } from '../../base/schema.ts';
import { isChatModel } from '../../contract/model.ts';
import { isPlugin, isPluginFactory, type Plugin, type PluginFactory } from '../../contract/plugin.ts';
import type { Priority } from '../../contract/priority.ts';
import { isTool } from '../../contract/tool.ts';
import type { WorkDefaults } from '../../contract/work/work-defaults.ts';
import { adviseUnlock } from '../../files/protection/protection.ts';
import { keepOption } from '../../options/keep-option.ts';
import { makeOption, type AnyOption, type Option } from '../../options/option.ts';
import { option } from '../../options/options-schema.ts';
import { logLevel, plainOptions } from '../../options/plain-options.ts';
import { minNamedLength } from '../../redact/redactor.ts';
import { isFiles, isQueue, isStore } from '../packages/is-store.ts';
import { isPath, looksLikeFile } from '../packages/names.ts';
import { providerNeeds } from '../packages/provider-needs.ts';
import type {
  AcpConfig,
  Config,
  PluginConfigEntry,
  ProviderModelEntry,
  RedactConfig,
  ServeConfig,
  ServeLimits,
  ServeMcpConfig,
} from './config.ts';

const text = (what: string, advise?: (text: string) => string | undefined): Option<string> =>
  option.text(what, /\S/, advise);
/** An option that only configs in code can have. Error messages omit it, because most configs are not code. */
const inCode = <T>(is: (value: unknown) => value is T): Option<T> => option.code('', is);
const size = option.integer({ min: 1 });
const pathOrPackage = text('a path or a package');
const names = option.list(text('the id or name of a plugin'));

const moduleKeys = {
  use: pathOrPackage.required(),
  options: option.anything().describe('Options for the function that creates it.'),
};

const storeKeys = {
  ...moduleKeys,
  use: text('`memory`, `sqlite`, a path or a package').required(),
  path: text('a path').describe('With `sqlite`: the path of the database.'),
};

const tagName = option.text('the name of a tag, such as `think`', /^[\w-]+$/);

const providerModelKeys = {
  provider: text('the name of a provider').required().describe('The name of a provider.'),
  model: text("a model's name").required().describe("The provider's name for the model."),
  baseURL: text('a URL').describe("The address of the provider, if not the provider's own."),
  apiKey: text('{ $env: NAME }').secret().describe('From the environment: `{ $env: NAME }`.'),
  headers: option.record(option.text().secret()).describe('Sent with each request.'),
  contextTokens: option
    .either(size, option.oneOf('lookup'))
    .describe("The size of the model's context; `lookup` takes it from `@pydantic/genai-prices`."),
  outputTokens: size.describe('The maximum length of an answer, in tokens.'),
  api: option.oneOf('chat', 'responses').describe('With `openai` and `azure`: the API to use.'),
  reasoningTag: option
    .either(tagName, option.object({ name: tagName.required(), opened: option.boolean() }))
    .describe('The tag around reasoning at the beginning of an answer: `think`, for local models.'),
  options: option.record(option.anything()).describe("Options of the provider's package."),
  package: text('the name of a package').describe('A provider package of the AI SDK.'),
} satisfies Record<keyof ProviderModelEntry, AnyOption>;

const places = option.number({ min: 0, max: 100 });
const priority = option.either(
  places,
  option.object(Object.fromEntries(['default', ...hookNames].map((hook) => [hook, places]))),
);

/** The keys of an entry in `plugins`. */
export const pluginEntryKeys = {
  use: option
    .either(
      inCode((value): value is Plugin | PluginFactory => isPlugin(value) || isPluginFactory(value)),
      text('the name of a plugin, a package or a path'),
    )
    .required(),
  id: text('an id of letters, digits and hyphens').describe("Default: the plugin's name."),
  options: option.anything().describe("The plugin's options, checked against its schema."),
  // `checkPriority` validates it, because priorities can also be set elsewhere.
  priority: makeOption<Priority>({
    ...priority,
    is: () => true,
    read: (value) => value as Priority,
  }).describe('From 0 (innermost) to 100 (outermost), or numbers by hook.'),
  outside: names.describe('Plugins that this one must wrap, by id or name.'),
  inside: names.describe('Plugins that must wrap this one, by id or name.'),
  enabled: option.boolean().default(true).describe('`false` skips the plugin; its module is never imported.'),
  optional: option
    .boolean()
    .default(false)
    .describe('`true` lets the agent start without the plugin if it fails, with a warning.'),
  onlyChildren: option
    .boolean()
    .default(false)
    .describe('`true`: for children alone, whose definition lists the plugin or is granted its tools.'),
} satisfies Record<keyof PluginConfigEntry, AnyOption>;

const { name, ...otherOptions } = plainOptions;

/** The keys of a config. */
export const configKeys = {
  $schema: option.text().describe('The JSON Schema that editors use to complete this file.'),
  extends: option
    .either(pathOrPackage, option.list(pathOrPackage))
    .describe('Config files, by path or package, that this one extends.'),
  name,
  model: option
    .either(
      inCode(isChatModel),
      text('`provider/model`, `offline` or a path to a module', modelAdvice),
      option.object(moduleKeys),
      option.object(providerModelKeys),
    )
    .describe(
      '`provider/model`, a provider with settings, `offline` for a model without a provider, or a module that exports a model.',
    ),
  instructions: option
    .either(
      option.text('text', undefined, instructionsAdvice),
      option.object({ file: text('a path').required() }),
      option.list(
        option.either(
          option.object({ file: text('a path').required() }),
          option.object({ text: option.text('text', /\S/, instructionsAdvice).required() }),
        ),
        { min: 1 },
      ),
    )
    .describe(
      'The system prompt, the file that contains it, or a list of parts, each with `file` or `text`.',
    ),
  tools: option
    .list(option.either(inCode(isTool), text('a path, a glob or a package')))
    .describe('Paths and globs of modules, or packages, that export tools.'),
  plugins: option
    .list(
      option.either(
        inCode(isPlugin),
        text('the name of a plugin, a package or a path'),
        option.object(pluginEntryKeys),
      ),
    )
    .describe('Plugins by name, package or path, or entries with their options.'),
  store: option
    .either(inCode(isStore), text('`memory`, `sqlite` or a path'), option.object(storeKeys))
    .describe('`memory`, `sqlite`, or a module that exports a store.'),
  files: option
    .either(
      inCode(isFiles),
      text('`memory` or the path of a directory', filesAdvice),
      option.object(moduleKeys),
    )
    .describe(
      'The directory in which plugins and tools work, `memory`, or a module that exports a files service.',
    ),
  unlock: option
    .list(text('the name of protected files, or a path that begins with "/"', adviseUnlock))
    .describe(
      'Protected files that plugins and tools may use nevertheless, such as `.env*` or `/.vscode/settings.json`.',
    ),
  queue: option
    .either(inCode(isQueue), pathOrPackage, option.object(moduleKeys))
    .describe('For workers: a module that exports a queue.'),
  context: option
    .either(
      inCode((value): value is NonNullable<WorkDefaults['context']> => typeof value === 'function'),
      pathOrPackage,
    )
    .describe('For workers: a module that exports the function that makes the context of a run.'),
  keep: keepOption.describe(
    'For workers: how long the sessions of this agent are kept, by the status of their last run, such as `30d`.',
  ),
  serve: option
    .object({
      port: option.integer({ min: 0, max: 65_535 }).describe('Default: 4111.'),
      host: text('an address').describe('Any but that of this machine needs `tokens`. Default: `127.0.0.1`.'),
      tokens: option
        .list(option.text('a string of at least 16 characters without spaces', /^\S{16,}$/).secret(), {
          min: 1,
        })
        .describe('Bearer tokens of operators, one or two: `[{ $env: NAME }]`.'),
      hosts: option
        .list(text('a host, with its port if it has one'), { min: 1 })
        .describe('The values of `Host` that are answered.'),
      origins: option
        .list(text('an origin such as https://app.example'))
        .describe('Origins of pages of elsewhere that may use the server.'),
      execute: option.oneOf('here', 'workers').describe('`workers` leaves the runs to `shallot worker`.'),
      concurrency: size.describe('The maximum number of runs that are executed at once.'),
      trustProxy: option
        .boolean()
        .describe('Reads `X-Forwarded-Host` instead of `Host`, behind a proxy that sets it. Default: false.'),
      limits: option
        .object({
          bodyBytes: size.describe('The largest body, in bytes. Default: 10,000,000.'),
          headerBytes: size.describe('All headers of a request, in bytes. Default: 16,384.'),
          requestsPerMinute: size.describe('The requests of an identity in a minute. Default: 600.'),
          openRuns: size.describe('The runs of an owner that may be in progress. Default: 20.'),
        } satisfies Record<keyof ServeLimits, AnyOption>)
        .describe('Limits of each process that serves the agent.'),
      secret: option
        .text('a string of at least 32 characters', /^.{32,}$/s)
        .secret()
        .describe('Seals what clients of several processes keep: `{ $env: NAME }`. Default: `.shallot/key`.'),
      mcp: option
        .object({
          output: option
            .record(option.anything())
            .map((schema): JsonSchema => schema as JsonSchema)
            .describe('A JSON Schema for the answers, which are structured content then.'),
          tools: option
            .list(text('the name of a tool, in which `*` stands for any characters'), { min: 1 })
            .describe('Tools of the agent that are offered one by one, behind its gates.'),
        } satisfies Record<keyof ServeMcpConfig, AnyOption>)
        .describe('For `shallot mcp serve`: the agent as a tool of MCP clients.'),
    } satisfies Record<keyof ServeConfig, AnyOption>)
    .describe('For `shallot serve` and `shallot mcp serve`: where it listens, and whom it answers.'),
  acp: option
    .object({
      models: option
        .list(text('`provider/model`, `offline` or a path to a module', modelAdvice), { min: 1 })
        .describe('Models that a person can choose for a session, beside `model`.'),
      unsavedFiles: option
        .boolean()
        .describe('Reads files as the editor shows them, with changes that are not saved. Default: false.'),
    } satisfies Record<keyof AcpConfig, AnyOption>)
    .describe('For `shallot acp`: what sessions of an editor get beside the agent.'),
  ...otherOptions,
  log: logLevel.default('warn').describe('The lowest level that is logged to stderr.'),
  redact: option
    .object({
      secrets: option.list(
        option.text(`a string of ${minNamedLength} characters or more`, undefined, secretAdvice).secret(),
      ),
      patterns: option.list(
        option.either(
          inCode((value) => value instanceof RegExp),
          text('a regular expression', patternAdvice),
        ),
      ),
      environment: option.boolean().default(true),
    } satisfies Record<keyof RedactConfig, AnyOption>)
    .describe('Additional secrets, besides those of the environment and those recognised by their form.'),
} satisfies Record<keyof Config, AnyOption>;

function modelAdvice(model: string): string | undefined {
  if (isPath(model) || model === 'offline') return undefined;
  if (looksLikeFile(model)) return `write "./${model}" if it is a file`;
  if (/^[^/\s]+\/\S+$/.test(model)) return undefined;
  if (nearest(model, ['offline']) !== undefined) return 'did you mean "offline"?';
  const [, provider = '', name] = /^([\w-]+):(\S+)$/.exec(model) ?? [];
  if (Object.hasOwn(providerNeeds, provider)) return `write ${provider}/${name}`;
  return 'write `provider/model`, for example `anthropic/claude-sonnet-5`, or `offline`, or a path that starts with "./"';
}

/** Returns advice for instructions that look like a path: the model would only get the file name. */
function instructionsAdvice(instructions: string): string | undefined {
  const isFile =
    !/\s/.test(instructions.trim()) && (isPath(instructions) || /\.(?:md|txt)$/.test(instructions));
  return isFile ? `write { file: ${instructions.trim()} } to read that file` : undefined;
}

/**
 * Returns advice for a secret that is too short. An empty one is ignored, because its environment variable may be unset.
 */
function secretAdvice(secret: string): string | undefined {
  return secret === '' || secret.length >= minNamedLength
    ? undefined
    : 'write a longer one: this one would match almost everywhere';
}

function patternAdvice(pattern: string): string | undefined {
  try {
    return new RegExp(pattern).test('') ? 'write one that does not match the empty string' : undefined;
  } catch {
    // The pattern is not a valid regular expression.
    return 'write a regular expression without slashes around it';
  }
}

function filesAdvice(files: string): string | undefined {
  return files === 'memory' || files === '.' || isPath(files)
    ? undefined
    : `write "./${files}" if it is a directory`;
}
