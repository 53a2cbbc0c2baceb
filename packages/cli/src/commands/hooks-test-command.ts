import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';

import type { JsonObject } from '@shallot/core';
import { loadPluginOptions } from '@shallot/core/command';
import { visible, isJsonObject } from '@shallot/core/plugin';
import type * as Hooks from '@shallot/plugin-hooks/test';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import { parseJson } from '../asking/parse-json.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { importPlugin } from '../work/import-plugin.ts';

export interface HooksTestOptions extends AgentCommandOptions {
  readonly sample?: boolean;
}

/**
 * `shallot hooks test`: prints what each hook of an event decides. Resolves to 1 if one of them failed. Rejects with a
 * usage failure if there is none.
 */
export async function hooksTestCommand(
  event: string,
  { sample = false, ...options }: HooksTestOptions,
  screen: Screen,
): Promise<number> {
  const { entries, path, env } = await loadPluginOptions('hooks', configLoading(options, screen)).catch(
    (cause: unknown) => {
      throw new CommandFailure(exitStatus.usage, { cause });
    },
  );
  if (entries.length === 0)
    throw new CommandFailure(
      exitStatus.usage,
      `${visible(path)} has no plugin "hooks". Add it: shallot add hooks`,
    );
  const { testHooks } = await importPlugin<typeof Hooks, 'testHooks'>({
    entry: '@shallot/plugin-hooks/test',
    functions: ['testHooks'],
    command: 'shallot hooks test',
    directory: dirname(path),
  });
  const input = sample ? undefined : await readEvent(screen);
  const tests: Hooks.HookTest[] = [];
  try {
    for (const { options: given, directory } of entries)
      tests.push(...(await testHooks(event, given, { directory, env }, input)));
  } catch (cause) {
    throw new CommandFailure(exitStatus.usage, { cause });
  }
  if (tests.length === 0)
    throw new CommandFailure(exitStatus.usage, `${visible(path)} has no hook of ${visible(event)}.`);
  for (const test of tests) await screen.line(renderTest(test, screen));
  return tests.some(({ verdict }) => verdict === 'fail') ? exitStatus.failed : exitStatus.completed;
}

async function readEvent({ io }: Screen): Promise<JsonObject> {
  const parsed = parseJson(await text(io.stdin));
  if ('value' in parsed && isJsonObject(parsed.value)) return parsed.value;
  throw new CommandFailure(
    exitStatus.usage,
    'Write the members of the event as a JSON object to stdin, or try a sample: --sample',
  );
}

function renderTest({ hook, verdict, reason }: Hooks.HookTest, { paint }: Screen): string {
  const isOpen = verdict === 'allow' || verdict === 'pass' || verdict === 'skip';
  const colour = isOpen ? paint.green : verdict === 'ask' ? paint.yellow : paint.red;
  return `${colour(verdict)}  ${visibleLine(hook)}${reason === undefined ? '' : `: ${visibleLine(reason)}`}`;
}
