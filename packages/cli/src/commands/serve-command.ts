import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { placeOf, serveOverHttp, type TypedPlace } from '../work/serve-over-http.ts';

export interface ServeCommandOptions extends AgentCommandOptions, TypedPlace {}

/** `shallot serve`: serves the agent over HTTP until it is stopped. Returns the exit status. */
export async function serveCommand(options: ServeCommandOptions, screen: Screen): Promise<number> {
  const place = placeOf(options);
  await serveOverHttp(options, { command: 'shallot serve', place }, screen);
  return exitStatus.completed;
}
