import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { toJson } from '../rendering/render-json.ts';
import type { Screen } from '../terminal/screen.ts';
import { withAgent } from '../work/with-agent.ts';
import { describeOnion } from './onion.ts';
import { renderOnion } from './render-onion.ts';

export interface InspectCommandOptions extends AgentCommandOptions {
  readonly json?: boolean;
}

/** `shallot inspect`: sets the configured agent up, without running it, and shows what it is made of. */
export async function inspectCommand(options: InspectCommandOptions, screen: Screen): Promise<void> {
  await withAgent(options, { screen, signal: screen.broken, keepsSessions: false }, async (opened) => {
    const onion = describeOnion(opened);
    await screen.line(options.json ? toJson(onion, { indent: 2 }) : renderOnion(onion, screen));
  });
}
