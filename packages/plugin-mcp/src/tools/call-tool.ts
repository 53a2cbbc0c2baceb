import {
  ProtocolError,
  type CallToolResult,
  type Client,
  type ProgressCallback,
  type RequestOptions,
  type Tool as ServerTool,
} from '@modelcontextprotocol/client';
import { ShallotError, type JsonObject, type ToolContext, type ToolResult } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

import type { HeldQuestions } from '../questions/held-questions.ts';
import { inRounds } from '../questions/rounds.ts';
import type { Server } from '../servers/server.ts';
import { definitionOf, withoutHeaders } from '../trust/definition.ts';
import type { CheckOutput } from './output-check.ts';
import { toResult } from './to-result.ts';

/** A server, and the handler of questions during calls. */
export interface Callee {
  readonly server: Server;
  readonly held: HeldQuestions;
  /** Fetches the list of tools if it may have changed, so that the step after a call has it. */
  readonly refreshTools: () => Promise<void> | undefined;
}

/** A tool of a server, and the validator of its results, if it has one. */
export interface CalledTool {
  readonly tool: ServerTool;
  readonly check?: CheckOutput | undefined;
  /** True if a call may be executed twice: its effect is `read` or `idempotent`. */
  readonly isRepeatable: boolean;
}

/** Calls a tool of a server. */
export function callTool(
  { server, held, refreshTools }: Callee,
  { tool, check, isRepeatable }: CalledTool,
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
    const asking = { server, doing, context, isRepeatable };
    let outcome: Awaited<ReturnType<typeof inRounds<CallToolResult>>>;
    try {
      outcome = await inRounds(asking, request);
    } finally {
      await refreshTools();
    }
    if ('told' in outcome) return { content: [textPart(outcome.told)] };
    const { result } = outcome;
    return toResult(result, server.settings, await check?.(result));
  });
}

/** The protocol's error code for HTTP headers that do not match the body or the tool definition. */
const headerMismatch = -32_020;

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === headerMismatch;
}

/**
 * Returns the tool with its current headers, after a call was refused for outdated ones, as the protocol requires.
 *
 * @throws the refusal if nothing changed; an error if anything else did, because a person may have approved the old
 * definition
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

/** Returns the options for a request of a call: progress extends its time limit, and the end of the call aborts it. */
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
    timeout: Math.min(settings.callTimeoutMs, settings.maxCallMs),
    maxTotalTimeout: settings.maxCallMs,
    resetTimeoutOnProgress: true,
    allowInputRequired: true,
  };
}

/**
 * Returns the tool without its output schema, because the client would compile it, and would reject questions as
 * results without data.
 */
function withoutOutputSchema({ outputSchema: _, ...tool }: ServerTool): ServerTool {
  return tool;
}
