import { describeOnion } from './onion.ts';
import { openAgent, type AgentCommandOptions } from './open-agent.ts';
import { toJson } from './render-json.ts';
import { renderOnion } from './render-onion.ts';
import type { Screen } from './screen.ts';

export interface InspectCommandOptions extends AgentCommandOptions {
  readonly json?: boolean;
}

/** `shallot inspect`: sets the configured agent up, without running it, and shows what it is made of. */
export async function inspectCommand(options: InspectCommandOptions, screen: Screen): Promise<void> {
  const { agent, path } = await openAgent(options, screen);
  try {
    const onion = describeOnion(agent, path);
    const text = options.json ? toJson(onion, 2) : renderOnion(onion, screen);
    await screen.line(text);
  } finally {
    await agent.close();
  }
}
