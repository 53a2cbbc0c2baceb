import { isShallotError } from '@shallot/core';
import { findPackage, loadConfigFor } from '@shallot/core/command';
import type { ProviderModelEntry } from '@shallot/core/model';
import type { PriceSource } from '@shallot/core/plugin';
import type * as Models from '@shallot/model-ai-sdk/list';
import type { CheckedModel, ListedModels } from '@shallot/model-ai-sdk/list';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import { toJson } from '../rendering/render-json.ts';
import { renderCheck, renderModels, renderProviders } from '../rendering/render-models.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { watchStopSignals } from '../terminal/stop-signals.ts';
import { visibleLine } from '../terminal/visible.ts';
import { configuredModel } from '../work/configured-model.ts';
import { importPlugin } from '../work/import-plugin.ts';
import { pricedModels } from '../work/priced-models.ts';

export interface ModelsCommandOptions extends AgentCommandOptions {
  readonly check?: boolean;
  readonly json?: boolean;
}

/** The parts of a project that decide which models it can use. */
interface Surroundings {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The model of the config, if a provider makes it. */
  readonly configured: ProviderModelEntry | undefined;
  /** The environment variables that the model of the config names and that are not set. */
  readonly unset: readonly string[];
  readonly prices: PriceSource | undefined;
}

type ModelsModule = Pick<typeof Models, 'listProviders' | 'listModels' | 'checkModel'>;

/** `shallot models`: lists providers, or the models of one; `--check` sends a request to a model. Returns the exit status. */
export async function modelsCommand(
  name: string | undefined,
  options: ModelsCommandOptions,
  screen: Screen,
): Promise<number> {
  const project = await surroundings(options, screen);
  const models = await importPlugin<typeof Models, keyof ModelsModule>({
    entry: '@shallot/model-ai-sdk/list',
    functions: ['listProviders', 'listModels', 'checkModel'],
    command: 'shallot models',
    directory: project.directory,
  });
  const stop = watchStopSignals(() => screen.note('Stopping … (press again to end it now)'));
  const signal = AbortSignal.any([stop.signal, screen.broken]);
  try {
    if (options.check)
      return await check(toCheck(name, project), { models, project, signal }, options, screen);
    if (name === undefined) await showProviders(models, project, options, screen);
    else await showModels(name, { models, project, signal }, options, screen);
    return exitStatus.completed;
  } catch (error) {
    if (stop.status !== undefined) return stop.status;
    throw isShallotError(error, 'CONFIG_INVALID')
      ? new CommandFailure(exitStatus.usage, { cause: error })
      : error;
  } finally {
    stop.end();
  }
}

interface Asking {
  readonly models: ModelsModule;
  readonly project: Surroundings;
  readonly signal: AbortSignal;
}

/** Returns the surroundings of the command, which works without a config file, too. */
async function surroundings(options: ModelsCommandOptions, screen: Screen): Promise<Surroundings> {
  try {
    // Other parts of the config are not used here, so their environment variables may be missing.
    const used = ['extends', 'startTimeoutMs', 'prices'] as const;
    const { config, directory, env } = await loadConfigFor(configLoading(options, screen), used);
    const { entry: configured, unset } = configuredModel(config.model);
    return { directory, env, configured, unset, prices: config.prices };
  } catch (cause) {
    if (options.config !== undefined || !isShallotError(cause, 'CONFIG_NOT_FOUND'))
      throw new CommandFailure(exitStatus.usage, { cause });
    const { cwd, env } = screen.io;
    return { directory: cwd, env, configured: undefined, unset: [], prices: undefined };
  }
}

async function showProviders(
  { listProviders }: ModelsModule,
  { directory, env, configured, unset }: Surroundings,
  { json }: ModelsCommandOptions,
  screen: Screen,
): Promise<void> {
  const providers = listProviders(env, configured).map((each) =>
    Object.assign({ isInstalled: findPackage(each.package, directory) !== undefined }, each),
  );
  const current = configured && `${configured.provider}/${configured.model}`;
  for (const variable of unset) screen.note(unsetNote(variable));
  if (json) await screen.line(toJson({ model: current, providers }, { indent: 2 }));
  else await screen.line(renderProviders(providers, current, screen.paint));
}

async function showModels(
  name: string,
  { models, project, signal }: Asking,
  { json }: ModelsCommandOptions,
  screen: Screen,
): Promise<void> {
  const [provider = '', ...path] = name.split('/');
  const wanted = path.join('/');
  const { directory, env, configured, unset, prices } = project;
  const isOwn = configured?.provider === provider;
  const entry = isOwn ? configured : {};
  if (isOwn) for (const variable of unset) screen.note(unsetNote(variable));
  const listed = await models.listModels(provider, { from: directory, env, entry, signal });
  const { models: priced, unlisted } = await pricedModels(listed, prices);
  const shown = wanted === '' ? priced : priced.filter(({ model }) => model === wanted);
  noteSource(listed, screen);
  for (const id of unlisted) screen.note(`prices names ${visibleLine(id)}, which ${provider} does not list.`);
  if (wanted !== '' && shown.length === 0)
    screen.note(`${visibleLine(wanted)} is not among the ${priced.length} models of ${provider}.`);
  if (json) {
    await screen.line(toJson({ ...listed, models: shown }, { indent: 2 }));
  } else if (shown.length > 0) {
    await screen.line(renderModels(provider, shown, screen.paint));
  }
}

function unsetNote(variable: string): string {
  return `The environment variable ${visibleLine(variable)}, which the model of the config names, is not set.`;
}

function noteSource({ provider, source, reason, isCut, models }: ListedModels, screen: Screen): void {
  const text = screen.redactor.text(reason ?? '');
  if (source === 'tables') {
    const rest =
      models.length === 0
        ? 'Install @pydantic/genai-prices for a table of models and prices.'
        : 'This list is from @pydantic/genai-prices.';
    screen.note(`${visibleLine(text)} ${rest}`);
  } else if (isCut) {
    screen.note(`${provider} has more models than these ${models.length}.`);
  }
}

/**
 * Returns the model to check: the named one, or that of the config. @throws a usage failure if neither names a model, or a
 * variable is not set
 */
function toCheck(name: string | undefined, { configured, unset }: Surroundings): ProviderModelEntry {
  const [provider = '', ...path] = name?.split('/') ?? [];
  const isOwn = configured !== undefined && (name === undefined || provider === configured.provider);
  const [missing] = unset;
  if (missing !== undefined && (isOwn || name === undefined))
    throw new CommandFailure(exitStatus.usage, `${unsetNote(missing)} Set it, and check again.`);
  if (path.length > 0) return { ...(isOwn ? configured : {}), provider, model: path.join('/') };
  if (isOwn) return configured;
  throw new CommandFailure(
    exitStatus.usage,
    name === undefined
      ? 'The config names no model of a provider. Name one: shallot models PROVIDER/MODEL --check'
      : `Name a model: shallot models ${visibleLine(name)}/MODEL --check`,
  );
}

async function check(
  entry: ProviderModelEntry,
  { models, project, signal }: Asking,
  { json }: ModelsCommandOptions,
  screen: Screen,
): Promise<number> {
  const { directory, env } = project;
  const checked: CheckedModel = await models.checkModel(entry, { from: directory, env, signal });
  if (json) {
    const redact = screen.redactor.value;
    await screen.line(toJson(checked, { indent: 2, redact }));
  } else {
    await screen.line(renderCheck(checked, screen));
  }
  return checked.isUsable ? exitStatus.completed : exitStatus.failed;
}
