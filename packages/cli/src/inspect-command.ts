import type { AgentCommandOptions } from './config-loading.ts';
import { describeOnion } from './onion.ts';
import { toJson } from './render-json.ts';
import { renderOnion } from './render-onion.ts';
import type { Screen } from './screen.ts';
import { withAgent } from './with-agent.ts';

export interface InspectCommandOptions extends AgentCommandOptions {
  readonly json?: boolean;
}

/** `shallot inspect`: sets the configured agent up, without running it, and shows what it is made of. */
export async function inspectCommand(options: InspectCommandOptions, screen: Screen): Promise<void> {
  await withAgent(options, { screen, signal: screen.broken }, async (opened) => {
    const onion = describeOnion(opened);
    await screen.line(options.json ? toJson(onion, { indent: 2 }) : renderOnion(onion, screen));
  });
}
