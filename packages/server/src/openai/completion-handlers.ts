import { ShallotError, type AssistantMessage } from '@shallot/core';
import { toolCallsOf } from '@shallot/core/plugin';
import { openInterrupts, type RunRecord } from '@shallot/core/store';
import { answerInterrupts } from '@shallot/core/work';

import { nameOf } from '../access/identity.ts';
import { newSessionId, shownId } from '../access/session-ids.ts';
import { eventsToEnd, stopperOf, streamRun } from '../api/answer-run.ts';
import { checkClientTools } from '../api/check-client-tools.ts';
import { runOf, waitMs } from '../api/run-handlers.ts';
import type { FoundSession, ServerState } from '../api/server-state.ts';
import { idempotencyOf, startRun } from '../api/start-run.ts';
import type { Call, Handlers } from '../http/route.ts';
import type { Routes } from '../http/routes.ts';
import { clientToolsMetadata } from '../work/client-tools.ts';
import { clientToolsIn, schemaIn } from './client-tools-in.ts';
import { completionForm } from './completion-form.ts';
import { completionOf, type Completion } from './completion.ts';
import { faultResponse } from './error-response.ts';
import { faultOf, isForClient, partOf } from './run-part.ts';
import { sealCall } from './sealed-call.ts';
import { inputIn, resultsIn, type SentResults } from './sent-results.ts';
import { invalid } from './sent-text.ts';

type CompletionCall = Call<Routes['createChatCompletion']>;

/** The run that answers a request, or whose answer goes on. */
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

/** @throws `server/NOT_FOUND` for any model but the agent */
function requireModel({ agent }: ServerState, model: string): void {
  if (model === agent.name) return;
  throw new ShallotError('server/NOT_FOUND', {
    message: `There is no model ${JSON.stringify(model.slice(0, 100))}. The agent is ${JSON.stringify(agent.name)}; GET /v1/models lists it.`,
  });
}

/** Begins a run in a session of its own. */
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
  const run = await startRun(state, {
    identity,
    sessionId,
    body: { onDisconnect: 'stop', ...(output === undefined ? {} : { output }) },
    input,
    ...(tools.length === 0 ? {} : { inputMetadata: clientToolsMetadata(tools) }),
    idempotency,
  });
  return { session: await state.find(identity, shownId(identity, sessionId)), run };
}

/** Gives the results of calls to the run that waits for them. Results that it has already begin nothing. */
async function resumeRun(
  state: ServerState,
  { identity, request }: CompletionCall,
  { sessionId, contents }: SentResults,
): Promise<AnsweringRun> {
  state.refuseDraining();
  const session = await state.find(identity, sessionId);
  const asking = await askingMessage(state, session, new Set(contents.keys()));
  const open = openInterrupts(session.run).filter(isForClient);
  const answers: Record<string, { readonly content: string }> = {};
  for (const { id, call } of open) {
    const content = contents.get(sealCall(session.id, call?.id ?? ''));
    if (content !== undefined) answers[id] = { content };
  }
  const given = Object.keys(answers).length;
  if (given > 0 && given < open.length)
    throw invalid(`${open.length} calls wait for their results, and ${given} came. Send all of them.`);
  if (given > 0) {
    const options = { owner: identity.owner, by: nameOf(identity), waitMs, signal: request.signal };
    await answerInterrupts(state.store, session.id, answers, options);
    state.wake(session.id);
  }
  return { session, run: await runOf(state, session), after: asking.id };
}

/** Returns the answer with the calls of these ids. @throws `INTERRUPT_UNKNOWN` */
async function askingMessage(
  { store }: ServerState,
  { id }: FoundSession,
  ids: ReadonlySet<string>,
): Promise<AssistantMessage> {
  const messages = (await store.load(id))?.messages ?? [];
  const asking = messages.findLast((message) =>
    toolCallsOf(message).some((call) => ids.has(sealCall(id, call.id))),
  );
  if (asking?.role === 'assistant') {
    const known = new Set(toolCallsOf(asking).map((call) => sealCall(id, call.id)));
    if ([...ids].every((each) => known.has(each))) return asking;
  }
  throw new ShallotError('INTERRUPT_UNKNOWN', {
    message: 'The results are not those of the calls of one answer. Send the ids as they came.',
  });
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
  // Nobody can come back to a completion.
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
