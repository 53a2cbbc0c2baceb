import type { RunRecord } from '@shallot/core/store';

import { newSessionId } from '../access/session-ids.ts';
import { eventsToEnd, stopperOf, streamRun } from '../api/answer-run.ts';
import { checkClientTools } from '../api/check-client-tools.ts';
import { runOf } from '../api/run-handlers.ts';
import type { FoundSession, ServerState } from '../api/server-state.ts';
import { idempotencyOf, startRun } from '../api/start-run.ts';
import type { Call, Handlers } from '../http/route.ts';
import type { Routes } from '../http/routes.ts';
import { clientToolsMetadata } from '../work/client-tools.ts';
import { answerClient } from './answer-client.ts';
import { clientToolsIn, schemaIn } from './client-tools-in.ts';
import { completionForm } from './completion-form.ts';
import { completionOf, type Completion } from './completion.ts';
import { faultResponse } from './error-response.ts';
import { requireModel } from './require-model.ts';
import { faultOf, partOf, replacedFault } from './run-part.ts';
import { inputIn, resultsIn, type SentResults } from './sent-results.ts';

type CompletionCall = Call<Routes['createChatCompletion']>;

/** The run for a request. `after` is the message whose calls the request answered. */
interface AnsweringRun {
  readonly session: FoundSession;
  readonly run: RunRecord;
  readonly after?: string;
}

/** The handler of chat completions. */
export function completionHandlers(state: ServerState): Handlers<Pick<Routes, 'createChatCompletion'>> {
  return {
    async createChatCompletion(call) {
      const { body } = call;
      requireModel(state, body.model);
      const results = resultsIn(body.messages);
      const answering = await (results === undefined
        ? beginRun(state, call)
        : resumeRun(state, call, results));
      return answerWith(state, call, answering);
    },
  };
}

/** Begins a run in a new session. */
async function beginRun(
  state: ServerState,
  { identity, body, request }: CompletionCall,
): Promise<AnsweringRun> {
  const tools = body.tool_choice === 'none' ? [] : clientToolsIn(body.tools);
  checkClientTools(state, tools);
  const input = inputIn(body.messages);
  const output = schemaIn(body.response_format);
  const idempotency = idempotencyOf(request, body);
  const sessionId = newSessionId(identity, idempotency?.key);
  return startRun(state, {
    identity,
    sessionId,
    body: { onDisconnect: 'stop', ...(output === undefined ? {} : { output }) },
    input,
    ...(tools.length === 0 ? {} : { inputMetadata: clientToolsMetadata(tools) }),
    idempotency,
  });
}

/** Gives the results of calls to the waiting run. */
async function resumeRun(
  state: ServerState,
  { identity, request }: CompletionCall,
  results: SentResults,
): Promise<AnsweringRun> {
  const session = await state.find(identity, results.sessionId);
  const asking = await answerClient(state, session, { identity, request, results });
  return { session, run: await runOf(state, session), after: asking.id };
}

async function answerWith(
  state: ServerState,
  { identity, body, request }: CompletionCall,
  { session, run, after }: AnsweringRun,
): Promise<Response | object> {
  const completion: Completion = {
    id: `chatcmpl-${run.id}`,
    model: body.model,
    created: Math.floor(run.startedAt / 1000),
    sessionId: session.shownId,
    after,
    isWhole: schemaIn(body.response_format) !== undefined,
  };
  if (session.run?.id !== run.id) return faultResponse(replacedFault);
  // A client cannot resume a completion, so its run stops when the client disconnects.
  const onGone = stopperOf(state, session, { identity, onDisconnect: 'stop' });
  if (body.stream === true) {
    const hasUsage = body.stream_options?.['include_usage'] === true;
    return streamRun(state, session, run, { form: completionForm({ ...completion, hasUsage }), onGone });
  }
  const part = partOf(await eventsToEnd(state, session, run, request.signal), after);
  if (request.signal.aborted) onGone();
  const fault = faultOf(part, session.shownId);
  return fault === undefined ? completionOf(part, completion) : faultResponse(fault);
}
