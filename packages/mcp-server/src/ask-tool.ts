import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import type { JsonSchema } from '@shallot/core';

import { answerResult, unansweredResult } from './answer-result.ts';
import type { AgentView, ServerClient } from './server-client.ts';
import type { TurnTaker } from './turn-taker.ts';

/** The name of the tool that asks the agent. */
export const askToolName = 'ask';

/** The arguments of the tool `ask`. */
interface AskArguments {
  readonly question: string;
  readonly session?: string;
}

const input = fromJsonSchema<AskArguments>({
  type: 'object',
  properties: {
    question: { type: 'string', minLength: 1, description: 'The question or task, in words.' },
    session: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'The session of an earlier result, to go on in its conversation. Default: a new one.',
    },
  },
  required: ['question'],
  additionalProperties: false,
});

export interface AskToolOptions {
  readonly agent: AgentView;
  readonly client: ServerClient;
  readonly output: JsonSchema | undefined;
}

/** Adds the tool that asks the agent. */
export function addAskTool(server: McpServer, turns: TurnTaker, options: AskToolOptions): void {
  const { agent, client, output } = options;
  const about = agent.description === undefined ? '' : ` ${agent.description}`;
  server.registerTool(
    askToolName,
    {
      title: `Ask ${agent.name}`,
      description: `Asks the agent ${agent.name}, which works on its own until it has an answer.${about}`,
      inputSchema: input,
      ...(output !== undefined && { outputSchema: fromJsonSchema(output) }),
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    ({ question, session }, ctx) =>
      turns.take(ctx, {
        tool: askToolName,
        client,
        body: { input: question, ...(output !== undefined && { output }) },
        sessionId: session,
        resultOf: (run) =>
          run.status === 'completed' ? answerResult(run, output !== undefined) : unansweredResult(run),
      }),
  );
}
