import { nearest } from '@shallot/core/plugin';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { describeOnion } from '../inspect/onion.ts';
import { renderOnion } from '../inspect/render-onion.ts';
import { toJson } from '../rendering/render-json.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { withAgent, type OpenedAgent } from '../work/with-agent.ts';

export interface InspectCommandOptions {
  /** The config file; `true` is short for `merged`. */
  readonly config?: string | true;
  readonly json?: boolean;
  /** Shows only the config. */
  readonly merged?: boolean;
}

/**
 * `shallot inspect`: sets up the configured agent without running it, and shows its parts. With a plugin id, it shows
 * that plugin; with `permissions`, the rules about calls. With `--merged`, it sets up nothing, and shows the config
 * with the origins of its values.
 */
export async function inspectCommand(
  plugin: string | undefined,
  { config, json = false, merged = config === true }: InspectCommandOptions,
  screen: Screen,
): Promise<void> {
  const options: AgentCommandOptions = typeof config === 'string' ? { config } : {};
  if (merged) {
    if (plugin !== undefined) {
      throw new CommandFailure(
        exitStatus.usage,
        'Name a plugin, or give --merged: both at once show nothing.',
      );
    }
    const { describeMerged, renderMerged } = await import('../inspect/config-page.ts');
    const page = await describeMerged(options, screen);
    await screen.line(json ? toJson(page, { indent: 2 }) : renderMerged(page, screen));
    return;
  }
  await withAgent(options, { screen, signal: screen.broken, keepsSessions: false }, async (opened) => {
    // Waits for all parts to start or fail, so that the output shows their status.
    await opened.agent.settled();
    const text =
      plugin === undefined ? showOnion(opened, json, screen) : showPlugin(plugin, opened, json, screen);
    await screen.line(await text);
  });
}

function showOnion(opened: OpenedAgent, json: boolean, screen: Screen): string {
  const onion = describeOnion(opened);
  if (json) return toJson(onion, { indent: 2 });
  return renderOnion(onion, screen);
}

async function showPlugin(id: string, opened: OpenedAgent, json: boolean, screen: Screen): Promise<string> {
  const { permissions, plugins } = opened.agent;
  if (id === 'permissions' && permissions !== undefined && !plugins.some((plugin) => plugin.id === id)) {
    if (json) return toJson({ rules: permissions.rules(), doubts: permissions.doubts() }, { indent: 2 });
    return (await import('../inspect/render-rules.ts')).renderRules(permissions);
  }
  const { describePlugin, renderPlugin } = await import('../inspect/plugin-page.ts');
  const ids = opened.agent.plugins.map((plugin) => plugin.id);
  const page = describePlugin(opened, id, screen);
  if (page !== undefined) return json ? toJson(page, { indent: 2 }) : renderPlugin(page, screen);
  const near = nearest(id, ids);
  const hint =
    near === undefined ? `The plugins are ${ids.join(', ') || 'none'}.` : `Did you mean "${near}"?`;
  throw new CommandFailure(exitStatus.usage, `The agent has no plugin ${JSON.stringify(id)}. ${hint}`);
}
