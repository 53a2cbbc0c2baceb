import { digestOf } from '../../base/digest-of.ts';
import { ShallotError } from '../../base/errors.ts';
import { frozenCopy } from '../../base/json.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ChildAgent } from '../../contract/work/child.ts';
import type { AgentParts } from '../agent-parts.ts';
import { outputOf } from '../model/output.ts';
import type { RunTerms } from '../run-terms.ts';
import { ChildPlugins } from './child-plugins.ts';

/** The parts of agents for the children of a run. */
export class KnownParts {
  readonly #terms: RunTerms;
  readonly #toolsOf: (agent: ChildAgent, offered: readonly Tool[]) => AgentParts['tools'];
  /** The parts of agents for the tools that a step offered, since all children of the step share them. */
  #known: { readonly offered: readonly Tool[]; readonly parts: WeakMap<ChildAgent, AgentParts> } | undefined;

  /** `toolsOf` returns the tools of a child agent, given the tools that were offered to the run in a step. */
  constructor(
    terms: RunTerms,
    toolsOf: (agent: ChildAgent, offered: readonly Tool[]) => AgentParts['tools'],
  ) {
    this.#terms = terms;
    this.#toolsOf = toolsOf;
  }

  /** Returns the parts of an agent for a child of a call in a step that offered these tools. @throws `CHILD_REFUSED` */
  of(agent: ChildAgent, offered: readonly Tool[]): AgentParts {
    const { host, name } = this.#terms.parts;
    const gone = agent.plugins?.find((id) => !host.has(id));
    if (gone !== undefined)
      throw refusedAgent(agent, `lists the plugin "${gone}", which the agent ${name} does not have`);
    // Not cached, because granted tools may be added or removed within a step.
    if (agent.grants !== undefined) return childParts(this.#terms, agent, this.#toolsOf(agent, offered));
    if (this.#known?.offered !== offered) this.#known = { offered, parts: new WeakMap() };
    const known = this.#known.parts.get(agent);
    if (known !== undefined) return known;
    const made = childParts(this.#terms, agent, this.#toolsOf(agent, offered));
    this.#known.parts.set(agent, made);
    return made;
  }
}

/** Returns the parts of a child agent of a run, which uses the plugins of the run. */
function childParts({ parts, chains }: RunTerms, agent: ChildAgent, tools: AgentParts['tools']): AgentParts {
  const { name, instructions = '', model = parts.model, maxSteps = parts.maxSteps, plugins = [] } = agent;
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
