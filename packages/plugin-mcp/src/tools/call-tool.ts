import type {
  Client,
  ProgressCallback,
  RequestOptions,
  Tool as ServerTool,
} from '@modelcontextprotocol/client';
import type { JsonObject, ToolContext, ToolResult } from '@shallot/core';

import type { HeldQuestions } from '../questions/held-questions.ts';
import { inRounds } from '../questions/rounds.ts';
import type { Server } from '../servers/server.ts';
import { toResult } from './to-result.ts';

/** A server, and the questions that it asks while it holds a call. */
export interface Callee {
  readonly server: Server;
  readonly held: HeldQuestions;
}

/** Calls a tool of a server. */
export function callTool(
  { server, held }: Callee,
  tool: ServerTool,
  input: JsonObject,
  context: ToolContext,
): Promise<ToolResult> {
  const options = { ...requestOptions(server, context), toolDefinition: withoutOutputSchema(tool) };
  const request = (client: Client, answers: object): ReturnType<Client['callTool']> =>
    client.callTool({ name: tool.name, arguments: input, ...answers }, options);
  return held.during(context, async () => {
    const doing = `The call of ${tool.name}`;
    return toResult(await inRounds({ server, doing, context }, request), server.settings.maxResultChars);
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
