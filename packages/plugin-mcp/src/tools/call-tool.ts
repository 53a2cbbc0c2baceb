import {
  ProtocolError,
  type Client,
  type ProgressCallback,
  type RequestOptions,
  type Tool as ServerTool,
} from '@modelcontextprotocol/client';
import { ShallotError, type JsonObject, type ToolContext, type ToolResult } from '@shallot/core';

import type { HeldQuestions } from '../questions/held-questions.ts';
import { inRounds } from '../questions/rounds.ts';
import type { Server } from '../servers/server.ts';
import { definitionOf, withoutHeaders } from '../trust/definition.ts';
import type { CheckOutput } from './output-check.ts';
import { toResult } from './to-result.ts';

/** A server, and the questions that it asks while it holds a call. */
export interface Callee {
  readonly server: Server;
  readonly held: HeldQuestions;
}

/** A tool as its server lists it, and the check of its results, where there is one. */
export interface CalledTool {
  readonly tool: ServerTool;
  readonly check?: CheckOutput | undefined;
}

/** Calls a tool of a server. */
export function callTool(
  { server, held }: Callee,
  { tool, check }: CalledTool,
  input: JsonObject,
  context: ToolContext,
): Promise<ToolResult> {
  const options = requestOptions(server, context);
  const request = (client: Client, answers: object): ReturnType<Client['callTool']> => {
    const send = (definition: ServerTool): ReturnType<Client['callTool']> =>
      client.callTool(
        { name: tool.name, arguments: input, ...answers },
        { ...options, toolDefinition: withoutOutputSchema(definition) },
      );
    return send(tool).catch(async (error: unknown) => {
      if (!isHeaderMismatch(error)) throw error;
      server.markToolsChanged();
      return send(await listedAgain(client, tool, error));
    });
  };
  return held.during(context, async () => {
    const doing = `The call of ${tool.name}`;
    const result = await inRounds({ server, doing, context }, request);
    return toResult(result, server.settings.maxResultChars, await check?.(result));
  });
}

/** The protocol's code for headers that differ from what the body says, or from what the server wants of them. */
const headerMismatch = -32_020;

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === headerMismatch;
}

/**
 * The tool with the headers that its server wants now: the call was refused because of those that it wanted before, and the
 * protocol says to list the tools and try again. @throws when something else has changed, which a person may have approved
 */
async function listedAgain(client: Client, tool: ServerTool, refusal: unknown): Promise<ServerTool> {
  const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' });
  const now = tools.find(({ name }) => name === tool.name);
  if (now !== undefined && definitionOf(now).digest === definitionOf(tool).digest) throw refusal;
  if (now !== undefined && withoutHeaders(now).digest === withoutHeaders(tool).digest) return now;
  throw new ShallotError('mcp/TOOL_CHANGED', {
    message: `The call of ${tool.name} was not executed: its server has ${now === undefined ? 'removed' : 'changed'} the tool. Look at the tools again.`,
    cause: refusal,
  });
}

/** How a request of a call is made: it goes on as long as there is progress, ends with the call, and may ask back. */
export function requestOptions({ settings }: Server, { signal, progress }: ToolContext): RequestOptions {
  const onprogress: ProgressCallback = ({ progress: done, total, message }) => {
    void progress({
      progress: done,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
  };
  return {
    signal,
    onprogress,
    timeout: settings.callTimeoutMs,
    resetTimeoutOnProgress: true,
    allowInputRequired: true,
  };
}

/** The client would compile the schema, patterns and all, and would take a question for a result without its data. */
function withoutOutputSchema({ outputSchema: _, ...tool }: ServerTool): ServerTool {
  return tool;
}
