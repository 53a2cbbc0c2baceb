import { digestOf } from '../../base/digest-of.ts';
import { ShallotError } from '../../base/errors.ts';
import { frozenCopy } from '../../base/json.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ChildAgent } from '../../contract/work/child.ts';
import type { AgentParts } from '../agent-parts.ts';
import { outputOf } from '../model/output.ts';
import type { RunTerms } from '../run-terms.ts';

/** Returns the parts of a child agent, given the tools that were offered in the step of the call. @throws `CHILD_REFUSED` */
export type PartsOf = (agent: ChildAgent, offered: readonly Tool[]) => AgentParts;

/** Returns the function that finds the parts of child agents of a run. `toolsOf` returns the tools of a child agent. */
export function knownParts(
  terms: RunTerms,
  toolsOf: (...args: Parameters<PartsOf>) => AgentParts['tools'],
): PartsOf {
  // All children of a step with the same agent share its parts.
  let known = { offered: none, parts: new WeakMap<ChildAgent, AgentParts>() };
  return (agent, offered) => {
    const { host, name } = terms.parts;
    const gone = agent.plugins?.find((id) => !host.has(id));
    if (gone !== undefined)
      throw refusedAgent(agent, `lists the plugin "${gone}", which the agent ${name} does not have`);
    if (known.offered !== offered) known = { offered, parts: new WeakMap() };
    // Granted tools may be added or removed within a step.
    const before = agent.grants === undefined ? known.parts.get(agent) : undefined;
    const parts = before ?? childParts(terms, agent, toolsOf(agent, offered));
    known.parts.set(agent, parts);
    return parts;
  };
}

const none: readonly Tool[] = [];

/** Returns the parts of a child agent of a run, which uses the plugins of the run. */
function childParts({ parts, chains }: RunTerms, agent: ChildAgent, tools: AgentParts['tools']): AgentParts {
  const { name, instructions = '', model = parts.model, maxSteps = parts.maxSteps, plugins = [] } = agent;
  const own = chains.forChildren(plugins);
  const { toolChoice, ...settings } = agent.settings ?? {};
  return {
    ...parts,
    name,
    id: undefined,
    version: undefined,
    description: undefined,
    identity: Object.freeze({ id: name, version: versionOf(agent) }),
    model,
    models: parts.models.for(model),
    instructions,
    modelTerms: {
      settings: agent.settings === undefined ? parts.modelTerms.settings : frozenCopy(settings),
      toolChoice,
      output: undefined,
    },
    // The provider executes these tools without passing the gates.
    providerTools: [],
    maxSteps,
    tools,
    onion: { chains: own },
  };
}

const versions = new WeakMap<ChildAgent, string>();

/** Returns a digest of a definition. A child that is continued is refused if it has changed. */
function versionOf(agent: ChildAgent): string {
  const known = versions.get(agent);
  if (known !== undefined) return known;
  const { model, output, ...rest } = agent;
  const schema = output === undefined ? undefined : outputOf(output)?.schema;
  const version = digestOf({ ...rest, model: model?.id, output: schema });
  versions.set(agent, version);
  return version;
}

/** Returns the error for a definition that is not valid for the agent. */
export function refusedAgent({ name }: ChildAgent, what: string): ShallotError {
  return new ShallotError('CHILD_REFUSED', {
    message: `The child agent "${name}" ${what}. Correct its definition.`,
  });
}
