import {
  definePlugin,
  defineTool,
  type Interrupt,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Tool,
} from '@shallot/core';

/** A tool of a request: the client executes its calls. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly input: JsonSchema;
}

/** The id of the plugin, and its key in the metadata of inputs. */
const clientToolsId = 'client-tools';

/** The kind of the question that a call of such a tool asks: its answer is the result. */
const clientToolKind = 'client-tool';

/** The schema of the result of a call. */
const resultSchema = {
  type: 'object',
  properties: { content: { type: 'string' } },
  required: ['content'],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** Returns the metadata of an input whose run has these tools as well. */
export function clientToolsMetadata(tools: readonly ClientTool[]): JsonObject {
  // The schemas came as JSON.
  return { [clientToolsId]: { tools: tools as unknown as JsonObject[] } };
}

/** Returns true for the call of a tool that came with the input of its run: the client executes it. */
export function isForClient({ kind, plugin, under, call }: Interrupt): boolean {
  return kind === clientToolKind && plugin === 'tool' && under === undefined && call !== undefined;
}

/** Returns the names of the tools that came with an input. */
export function toolNamesIn(metadata: JsonObject | undefined): readonly string[] {
  return toolsIn(metadata?.[clientToolsId]).map(({ name }) => name);
}

/**
 * Adds the tools that came with the input of a run. A call of one interrupts the run, and the answer is its result. A tool
 * of the agent with the same name takes precedence.
 */
export const clientTools = definePlugin({
  name: clientToolsId,
  // Outside plugins that replace the input.
  priority: { default: 25, beforeAgent: 95 },
  setup({ hooks, tools, state }) {
    const asking = defineTool({
      name: 'client_tool',
      description: 'Executed by the client.',
      input: { type: 'object' },
      // Only the question is asked again after a crash.
      effect: 'idempotent',
      async execute(_, { interrupt }) {
        const result = await interrupt({ kind: clientToolKind, payload: {}, answer: resultSchema });
        return { content: textOfResult(result) };
      },
    });
    tools.add(asking, { offered: false });
    const given = state<ClientTool[]>({ key: 'tools', scope: 'run', version: 1, initial: () => [] });
    hooks.beforeAgent.tap('client-tools', (run) => {
      const found = run.newMessages.flatMap(({ metadata }) => toolsIn(metadata?.[clientToolsId]));
      if (found.length > 0) given.set(run, found);
    });
    hooks.beforeModel.tap('client-tools', (request, run) => {
      const names = new Set(request.tools?.map(({ name }) => name));
      const added = given.get(run).filter(({ name }) => !names.has(name));
      if (added.length === 0) return undefined;
      const offered = added.map((tool): Tool => Object.freeze({ ...asking, ...offerOf(tool) }));
      return { ...request, tools: [...(request.tools ?? []), ...offered] };
    });
  },
});

/** The answer fits the schema. */
function textOfResult(result: JsonValue): string {
  const isGiven = typeof result === 'object' && result !== null && 'content' in result;
  return isGiven && typeof result['content'] === 'string' ? result['content'] : '';
}

function offerOf({ name, description, input }: ClientTool): Partial<Tool> {
  return { name, description, inputSchema: input };
}

function toolsIn(noted: unknown): ClientTool[] {
  if (typeof noted !== 'object' || noted === null || !('tools' in noted)) return [];
  // Only the server writes this key, from tools that it has checked.
  return noted.tools as ClientTool[];
}
