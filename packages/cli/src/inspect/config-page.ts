import { configValues, type ConfigValue } from '@shallot/core/command';
import { loadConfig } from '@shallot/core/config';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { shortPath } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';
import { describeOrigin } from './describe-origin.ts';
import { table } from './plugin-page.ts';

/** The data shown by `shallot inspect --merged`, and printed by `--json`: the merged config, redacted. */
export interface ConfigPage {
  /** The absolute path of the config file. */
  readonly config: string;
  /** The files read, each after those it extends. */
  readonly files: readonly string[];
  readonly values: readonly ConfigValue[];
}

/** Reads a config and those it extends, without loading what they refer to. Rejects with a usage failure. */
export async function describeMerged(options: AgentCommandOptions, screen: Screen): Promise<ConfigPage> {
  const reading = loadConfig(configLoading(options, screen)).catch((cause: unknown) => {
    throw new CommandFailure(exitStatus.usage, { cause });
  });
  const loaded = await screen.uncaught.orFirst(() => reading);
  const values = configValues(loaded).map(({ path, value, origin }) => ({
    path,
    value: shownValue(value, path, screen),
    origin,
  }));
  return { config: loaded.path, files: loaded.files, values };
}

/**
 * Returns a value for output: functions and objects in a config in code are shown as their type, and secrets are
 * redacted.
 */
function shownValue(value: unknown, path: ConfigValue['path'], { redactor }: Screen): unknown {
  const isData = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  if (!isData && JSON.stringify(value) !== '[]' && JSON.stringify(value) !== '{}') return `[${typeof value}]`;
  const [key = ''] = path.slice(-1);
  const redacted: unknown = redactor.value({ [key]: value });
  return typeof redacted === 'object' && redacted !== null ? Reflect.get(redacted, key) : redacted;
}

/** Renders the page, one value per line. */
export function renderMerged({ config, files, values }: ConfigPage, screen: Screen): string {
  const { cwd } = screen.io;
  const { bold, dim } = screen.paint;
  const others = files.filter((file) => file !== config).map((file) => shortPath(file, cwd));
  const extended = others.length === 0 ? '' : `  ${dim(`extends ${others.join(', ')}`)}`;
  const rows = values.map(({ path, value, origin }) => [
    path.join('.'),
    JSON.stringify(value) ?? String(value),
    describeOrigin(origin, cwd),
  ]);
  return `${bold(shortPath(config, cwd))}${extended}\n${table(rows)}`;
}
