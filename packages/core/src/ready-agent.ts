import type { OwnParts } from './check-options.ts';
import type { ReadyAgent } from './contract/plugin.ts';

/** Returns the agent as plugins see it once all of them are set up. */
export function readyAgent(parts: OwnParts): ReadyAgent {
  const { name, id, version, description, model, tools, providerTools, host } = parts;
  return {
    name,
    id,
    version,
    description,
    model,
    models: [...new Set([model, ...host.models])],
    tools: tools.all.map(({ tool }) => tool),
    providerTools,
    askedBy: (tool) => host.services.askedBy(tool),
    matchers: () => host.services.matchers,
    serverOf: (tool) => host.services.serverOf(tool),
    skillText: (run, name) => host.services.skillText(run, name),
    timeLeft: (run) => host.services.timeLeft(run),
    shortens: (run) => host.services.shortens(run),
  };
}
