import { definePlugin } from '@shallot/core';
import {
  permissionEvaluatorKey,
  pluginStatusKey,
  preApprovalsKey,
  type PluginSetup,
} from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { hookEvents, placelessEvents } from './events.ts';
import type { Hook } from './hook.ts';
import { hooksOptions, type Settings } from './options.ts';
import { Allowances } from './places/allowances.ts';
import { HookRuns } from './places/hook-runs.ts';
import { tapHook } from './tap-hook.ts';
import { Calls } from './words/calls.ts';
import { Modes } from './words/modes.ts';
import { ToolWords } from './words/tool-words.ts';

/** Runs scripts and URLs of the config at the events of runs, in the format of Claude Code. */
export const hooks = definePlugin({
  name: 'hooks',
  version: manifest.version,
  api: manifest.shallot.api,
  // Inside redaction, so that hooks get calls with the values that redaction has put back, and what a hook adds is
  // redacted, too.
  priority: 61,
  options: hooksOptions,
  setup(plugin) {
    const { id, options, directory, env, log, onReady, provide, state, use } = plugin;
    const list = hooksOf(options);
    const words = new ToolWords(options.names);
    const calls = new Calls(words);
    const modes = new Modes(() => use(permissionEvaluatorKey));
    const parts = {
      id,
      calls,
      runs: new HookRuns({ directory, env, names: options.env }, words, modes),
      allowances: new Allowances(),
      again: state({ key: 'again', scope: 'run', initial: () => ({ times: 0 }) }),
      started: state({ key: 'started', initial: () => ({ by: '' }) }),
    };
    for (const { does } of list)
      if ('command' in does) plugin.protect.command(inDirectory(does.command, directory), directory);
    for (const hook of inTapOrder(list)) tapHook(hook, plugin.hooks, parts);
    provide(preApprovalsKey(id), parts.allowances);
    provide(pluginStatusKey(id), { lines: () => list.map(lineOf), notes: () => notesOf(list) });
    warnOfPlaceless(options, log);
    onReady((agent) => {
      words.ready(agent);
      calls.ready(agent);
      for (const hook of list)
        for (const pattern of calls.unused(hook, agent))
          log.warn(
            { code: 'hooks/MATCH_UNUSED' },
            `The match "${pattern}" of ${hook.label} fits no tool of the agent`,
          );
    });
  },
});

/** Returns a command with the directory in the place of the variable that names it. */
function inDirectory(command: string, directory: string): string {
  return command.replaceAll(/\$(?:CLAUDE_PROJECT_DIR\b|\{CLAUDE_PROJECT_DIR\})/g, () => directory);
}

/** Returns the hooks of all events, each with a label of its own. */
export function hooksOf({ events }: Settings): readonly Hook[] {
  const counts = new Map<string, number>();
  return hookEvents.flatMap((event) => events[event] ?? []).map((hook) => withNumber(hook, counts));
}

/** Adds a number to a label that an earlier hook has, too. */
function withNumber(hook: Hook, counts: Map<string, number>): Hook {
  const count = (counts.get(hook.label) ?? 0) + 1;
  counts.set(hook.label, count);
  return count === 1 ? hook : { ...hook, label: `${hook.label} (${count})` };
}

/**
 * Returns hooks in the order in which they are tapped. Taps on the way back are called inside out, so the first of a
 * list is tapped last.
 */
function inTapOrder(list: readonly Hook[]): readonly Hook[] {
  const isBack = ({ event }: Hook): boolean => /^(?:PostToolUse|Stop|SubagentStop)/.test(event);
  return [...list.filter((hook) => !isBack(hook)), ...list.filter(isBack).toReversed()];
}

function lineOf({ label, rules, onFailure }: Hook): string {
  const match = rules === undefined ? '' : `; for ${[...new Set(rules.map(({ text }) => text))].join(', ')}`;
  return `${label}${match}; on failure: ${onFailure}`;
}

function notesOf(list: readonly Hook[]): readonly string[] {
  return list
    .filter(
      ({ event, onFailure }) =>
        onFailure === 'pass' && (event === 'PreToolUse' || event === 'UserPromptSubmit'),
    )
    .map(
      ({ label }) =>
        `The hook ${label} fails open: if it crashes or is missing, everything passes. To close it: onFailure: stop.`,
    );
}

function warnOfPlaceless({ events }: Settings, log: PluginSetup['log']): void {
  for (const [event, instead] of Object.entries(placelessEvents)) {
    if (Reflect.get(events, event) === undefined) continue;
    log.warn(
      { code: 'hooks/EVENT_WITHOUT_PLACE' },
      `The hooks of ${event} are never called, as there is no such event here: ${instead}`,
    );
  }
}
