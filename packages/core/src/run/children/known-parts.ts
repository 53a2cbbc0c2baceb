import { ShallotError } from '../../base/errors.ts';
import { frozenCopy } from '../../base/json.ts';
import type { ChildAgent } from '../../contract/work/child.ts';
import type { AgentParts } from '../agent-parts.ts';
import { digestOf } from '../ask.ts';
import { outputOf } from '../model/output.ts';
import type { RunTerms } from '../run-terms.ts';
import { ChildPlugins } from './child-plugins.ts';

/** Returns the parts of an agent for the children of a run. @throws `CHILD_REFUSED` for a plugin that the parent does not have */
export function childParts(
  { parts, chains }: RunTerms,
  agent: ChildAgent,
  tools: AgentParts['tools'],
): AgentParts {
  const { name, instructions = '', model = parts.model, maxSteps = parts.maxSteps, plugins = [] } = agent;
  const gone = plugins.find((id) => !parts.host.has(id));
  if (gone !== undefined)
    throw refusedAgent(agent, `lists the plugin "${gone}", which the agent ${parts.name} does not have`);
  const host = new ChildPlugins(parts.host, chains.forChildren(plugins));
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
    host,
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
