import {
  definePlugin,
  defineTool,
  type Interrupt,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Tool,
} from '@shallot/core';

/** A tool of a request, whose calls the client executes. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly input: JsonSchema;
}

/** The id of the plugin, and its key in the metadata of inputs. */
const clientToolsId = 'client-tools';

/** The kind of question that a call of such a tool asks. The answer is the result of the call. */
const clientToolKind = 'client-tool';

/** The schema of the result of a call. */
const resultSchema = {
  type: 'object',
  properties: { content: { type: 'string' } },
  required: ['content'],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** Returns the metadata of an input that gives its run these tools. */
export function clientToolsMetadata(tools: readonly ClientTool[]): JsonObject {
  // The schemas were read from JSON.
  return { [clientToolsId]: { tools: tools as unknown as JsonObject[] } };
}

/** Returns true for a question that a client answers by executing a tool of its own. */
export function isForClient({ kind, plugin, under, call }: Interrupt): boolean {
  return kind === clientToolKind && plugin === 'tool' && under === undefined && call !== undefined;
}

/** Returns the names of the tools in the metadata of an input. */
export function toolNamesIn(metadata: JsonObject | undefined): readonly string[] {
  return toolsIn(metadata?.[clientToolsId]).map(({ name }) => name);
}

/**
 * Adds the tools in the input of a run. A call of such a tool interrupts the run, and the answer becomes its result.
 * A tool of the agent with the same name takes precedence.
 */
export const clientTools = definePlugin({
  name: clientToolsId,
  // Runs outside plugins that replace the input.
  priority: { default: 25, beforeAgent: 95 },
  setup({ hooks, tools, state }) {
    const asking = defineTool({
      name: 'client_tool',
      description: 'Executed by the client.',
      input: { type: 'object' },
      // After a crash, the call only asks its question again.
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

/** Returns the text of a result. The schema guarantees its form. */
function textOfResult(result: JsonValue): string {
  const isGiven = typeof result === 'object' && result !== null && 'content' in result;
  return isGiven && typeof result['content'] === 'string' ? result['content'] : '';
}

function offerOf({ name, description, input }: ClientTool): Partial<Tool> {
  return { name, description, inputSchema: input };
}

function toolsIn(noted: unknown): ClientTool[] {
  if (typeof noted !== 'object' || noted === null || !('tools' in noted)) return [];
  // Only the server writes this key, with tools that it has checked.
  return noted.tools as ClientTool[];
}
