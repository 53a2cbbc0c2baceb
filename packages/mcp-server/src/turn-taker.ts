import { randomUUID } from 'node:crypto';

import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { JsonObject, JsonValue } from '@shallot/core';

import { errorResult, questionsResult } from './answer-result.ts';
import { converse, type Replies, type TurnEnd } from './converse.ts';
import { Progress } from './progress.ts';
import { formOf } from './question-form.ts';
import type { WaitingTurn } from './seal-turns.ts';
import type { RunBody, ServedRun, ServerClient } from './server-client.ts';

/** The result of a tool call, or the questions that come first. */
export type TurnResult = CallToolResult | InputRequiredResult;

/** A call of a tool that takes a turn in a session. */
export interface ToolTurn {
  readonly tool: string;
  readonly client: ServerClient;
  readonly body: RunBody;
  readonly sessionId: string | undefined;
  /** Returns the result of a run without open questions. */
  readonly resultOf: (run: ServedRun) => CallToolResult | Promise<CallToolResult>;
}

/** Takes turns in sessions for the tools of one server, and passes questions of runs to its client. */
export class TurnTaker {
  readonly #server: McpServer;
  readonly #codec: RequestStateCodec<WaitingTurn>;
  readonly #progress = new Progress();

  constructor(server: McpServer, codec: RequestStateCodec<WaitingTurn>) {
    this.#server = server;
    this.#codec = codec;
  }

  /** Takes a turn. Errors of the agent and its server are results, which the model of the client can read. */
  async take(ctx: ServerContext, turn: ToolTurn): Promise<TurnResult> {
    const { tool, client, body, sessionId, resultOf } = turn;
    const waiting = ctx.mcpReq.requestState<WaitingTurn>();
    try {
      const end = await converse({
        client,
        body,
        sessionId,
        newId: () => `session_${randomUUID()}`,
        replies: waiting?.tool === tool ? repliesIn(ctx, waiting) : undefined,
        following: { onEvent: this.#progress.of(ctx), signal: ctx.mcpReq.signal },
      });
      const { interrupts, isOpen } = end.run;
      return interrupts.length > 0 && !isOpen ? await this.#asked(ctx, tool, end) : await resultOf(end.run);
    } catch (error) {
      return errorResult(error);
    }
  }

  async #asked(ctx: ServerContext, tool: string, { run, ...end }: TurnEnd): Promise<TurnResult> {
    if (end.isLeftOpen || !this.#canAsk(ctx)) return questionsResult(run, end);
    const { sessionId, interrupts } = run;
    const asked: Record<string, string> = {};
    const requests = interrupts.map((question) => {
      const isOnly = interrupts.every((other) => other === question || other.kind !== question.kind);
      const name = isOnly ? question.kind : question.id;
      asked[name] = question.id;
      const { message, schema } = formOf(question);
      const lines = [end.faults.get(question.id), message, `(session ${sessionId})`];
      const text = lines.filter((line) => line !== undefined).join('\n\n');
      return [name, inputRequired.elicit({ mode: 'form', message: text, requestedSchema: schema })] as const;
    });
    return inputRequired({
      inputRequests: Object.fromEntries(requests),
      requestState: await this.#codec.mint({ tool, sessionId, asked }, ctx),
    });
  }

  /** Returns true if the client of a request can show forms to its user. */
  #canAsk({ mcpReq }: ServerContext): boolean {
    const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
    // oxlint-disable-next-line typescript/no-deprecated -- older revisions name their abilities once, at the start
    const ofConnection = this.#server.server.getClientCapabilities();
    // The library has checked both.
    const { elicitation } = (envelope[CLIENT_CAPABILITIES_META_KEY] ??
      ofConnection ??
      {}) as ClientCapabilities;
    // Older clients name the ability without its modes.
    return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  }
}

/** Returns the client's reply to each open question that it was asked. */
function repliesIn(
  { mcpReq: { inputResponses } }: ServerContext,
  { sessionId, asked }: WaitingTurn,
): Replies {
  const names = new Map(Object.entries(asked).map(([name, id]) => [id, name]));
  return {
    sessionId,
    answers({ interrupts }) {
      const answers = new Map<string, JsonValue | undefined>();
      for (const question of interrupts) {
        const name = names.get(question.id);
        if (name === undefined) continue;
        const reply = inputResponse(inputResponses, name);
        if (reply.kind !== 'elicit') continue;
        // The content came as JSON.
        const content = reply.content as JsonObject | undefined;
        answers.set(question.id, formOf(question).answer({ action: reply.action, content }));
      }
      return answers;
    },
  };
}
