import type { McpServer } from '@modelcontextprotocol/server';
import {
  definePlugin,
  ShallotError,
  textOf,
  type Agent,
  type JsonObject,
  type JsonValue,
  type Message,
  type Plugin,
  type Tool,
} from '@shallot/core';
import { fitsPattern, isJsonObject, serviceKey } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { askToolName } from './ask-tool.ts';
import { parseJson } from './parse-json.ts';

/** Adds prompts, resources and completions of a project to the protocol's server, for each connection or request. */
export type AddToMcpServer = (server: McpServer) => void;

/** The key of a plugin's service that adds to the server. Calls of tools that it adds do not pass the agent's gates. */
export const mcpServerKey = serviceKey<AddToMcpServer>('shallot/mcp-server');

/** The parts of an agent that clients get beside the tool `ask`. */
export interface OfferedParts {
  readonly tools: readonly Tool[];
  readonly add: AddToMcpServer | undefined;
}

/**
 * Offers parts of an agent one by one. A call of its tools is a run in which no model is asked: the agent's layers
 * and gates see it, and its questions are those of the run. Add `plugin` to the agent.
 */
export class AgentOffer {
  readonly plugin: Plugin;
  #names: ReadonlySet<string> = new Set();
  #add: () => AddToMcpServer | undefined = () => undefined;

  constructor() {
    const isOffered = (tool: string): boolean => this.#names.has(tool);
    const setUse = (use: () => AddToMcpServer | undefined): void => {
      this.#add = use;
    };
    this.plugin = definePlugin({
      name: 'mcp-server',
      version: manifest.version,
      api: '^1.0.0',
      setup({ hooks, use }) {
        setUse(() => use(mcpServerKey));
        hooks.beforeModel.tap('offer one tool', function offerOne(request, run) {
          const call = callIn(request.messages, isOffered);
          if (call === undefined) return undefined;
          // The result of the call is the whole answer, so the model adds nothing.
          if (request.messages.at(-1)?.role === 'tool') run.end();
          const tool = request.tools?.find(({ name }) => name === call.name);
          return { ...request, tools: tool === undefined ? [] : [{ ...tool, returnDirectly: true }] };
        });
        hooks.wrapModelCall.tap('make the call', function makeCall(request, next) {
          const call = callIn(request.messages, isOffered);
          return call === undefined
            ? next(request)
            : { message: { role: 'assistant', content: [{ type: 'tool-call', id: '', ...call }] } };
        });
      },
    })();
  }

  /**
   * Returns the parts that clients get: the agent's tools with these names, in which `*` stands for any characters, and
   * those of a plugin. @throws `OPTION_INVALID` for a name that no tool has, and for one that is taken
   */
  of({ tools }: Agent, names: readonly string[]): OfferedParts {
    const all = tools.list();
    const offered = all.filter((tool) => names.some((name) => fitsPattern(name, tool.name)));
    const missing = names.find((name) => !offered.some((tool) => fitsPattern(name, tool.name)));
    if (missing !== undefined)
      throw invalid(
        `no tool of the agent is named ${missing}. Its tools: ${all.map(({ name }) => name).join(', ') || 'none'}`,
      );
    if (offered.some(({ name }) => name === askToolName))
      throw invalid(
        `the agent's own tool ${askToolName} would stand in the place of the one that asks the agent. Leave it out`,
      );
    this.#names = new Set(offered.map(({ name }) => name));
    return { tools: offered, add: this.#add() };
  }
}

function invalid(fault: string): ShallotError {
  return new ShallotError('OPTION_INVALID', { message: `serve.mcp.tools: ${fault}.` });
}

const opening = 'Call the tool ';
const middle = ' once with these arguments, and return its result:\n';

/** Returns the input of a run that calls one tool. A model that receives this input can follow it, too. */
export function directCall(tool: string, args: unknown): string {
  return `${opening}${tool}${middle}${JSON.stringify(args)}`;
}

/** Returns the call that the last input of a run asks for, if its tool is offered. */
function callIn(
  messages: readonly Message[],
  isOffered: (tool: string) => boolean,
): (Pick<Tool, 'name'> & { readonly input: JsonObject }) | undefined {
  const asked = messages.findLast(({ role }) => role === 'user');
  const text = asked === undefined ? '' : textOf(asked);
  const end = text.indexOf(middle);
  if (!text.startsWith(opening) || end === -1) return undefined;
  const name = text.slice(opening.length, end);
  if (!isOffered(name)) return undefined;
  try {
    const input = parseJson<JsonValue>(text.slice(end + middle.length));
    return isJsonObject(input) ? { name, input } : undefined;
  } catch {
    // The text is not such a call, but an input for the model.
    return undefined;
  }
}
