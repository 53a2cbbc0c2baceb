import { ShallotError } from '@shallot/core';
import type { RunRecord } from '@shallot/core/store';

import type { Identity } from '../access/identity.ts';
import { newSessionId } from '../access/session-ids.ts';
import { eventsToEnd, streamRun } from '../api/answer-run.ts';
import { checkClientTools } from '../api/check-client-tools.ts';
import { runOf } from '../api/run-handlers.ts';
import type { FoundSession, ServerState } from '../api/server-state.ts';
import { isThere } from '../api/session-handlers.ts';
import { idempotencyOf, startRun } from '../api/start-run.ts';
import { isOpen } from '../events/run-feed.ts';
import type { Call, Handlers } from '../http/route.ts';
import type { Routes } from '../http/routes.ts';
import { answerClient } from './answer-client.ts';
import { clientToolsIn, schemaIn } from './client-tools-in.ts';
import { requireModel } from './require-model.ts';
import { responseOf, type ResponseTerms } from './response-body.ts';
import { responseForm } from './response-form.ts';
import { notesMetadata, type ResponseNotes } from './response-notes.ts';
import { responsePart, storedResponse, type StoredResponse } from './response-part.ts';
import { readResponseId, responseId } from './sealed-call.ts';
import { inputIn, resultsIn, type SentResults } from './sent-results.ts';
import { invalid, type SentItem } from './sent-text.ts';

type ResponseRoutes = Pick<Routes, 'createResponse' | 'getResponse'>;
type ResponseCall = Call<Routes['createResponse']>;

/** The run for a request. `after` is the message whose calls the request answered. */
interface AnsweringRun {
  readonly session: FoundSession;
  readonly run: RunRecord;
  readonly after?: string;
}

/** The handlers of responses. */
export function responseHandlers(state: ServerState): Handlers<ResponseRoutes> {
  return {
    async createResponse(call) {
      const { body } = call;
      requireModel(state, body.model);
      const items = itemsIn(body.input);
      const results = resultsIn(items);
      const answering = await (results === undefined
        ? beginRun(state, call, items)
        : resumeRun(state, call, results));
      return answerWith(state, call, answering);
    },

    async getResponse({ identity, params, query }) {
      const { session, stored, place } = await findResponse(state, identity, params.id);
      const { run } = session;
      const created = run?.id === stored.runId ? run.startedAt : session.createdAt;
      const terms: ResponseTerms = {
        ...stored.notes,
        ...termsOf(session, place, { created, model: state.agent.name }),
        after: stored.after,
        previous: undefined,
      };
      const isCurrent = stored.isLast && run !== undefined && isOpen(run);
      if (query.stream !== true || !isCurrent) return responseOf(stored.part, terms);
      return streamRun(state, session, run, { form: responseForm(terms) });
    },
  };
}

function itemsIn(input: ResponseCall['body']['input']): readonly SentItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

/** Begins a run in a new session, or after the response that the request continues. */
async function beginRun(
  state: ServerState,
  { identity, body, request }: ResponseCall,
  items: readonly SentItem[],
): Promise<AnsweringRun> {
  const { instructions, previous_response_id: previous } = body;
  const given = body.tool_choice === 'none' ? [] : body.tools.filter(({ type }) => type !== 'mcp');
  const tools = clientToolsIn(given);
  checkClientTools(state, tools);
  const system = typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : [];
  const input = inputIn([...system, ...items]);
  const output = schemaIn(body.text?.format);
  const idempotency = idempotencyOf(request, body);
  const own = newSessionId(identity, idempotency?.key);
  const sessionId = typeof previous === 'string' ? await continued(state, identity, previous, own) : own;
  return startRun(state, {
    identity,
    sessionId,
    body: { onDisconnect: 'continue', ...(output === undefined ? {} : { output }) },
    input,
    inputMetadata: notesMetadata(tools, { label: labelIn(state, body.tools), isWhole: output !== undefined }),
    idempotency,
  });
}

/**
 * Returns the label of the agent's tools if the client lists them.
 * @throws `server/REQUEST_INVALID` for other servers
 */
function labelIn({ agent }: ServerState, tools: readonly SentItem[]): ResponseNotes['label'] {
  const listed = tools.filter(({ type }) => type === 'mcp');
  const other = listed.find(({ server_label: label }) => label !== agent.name);
  if (other !== undefined)
    throw invalid(
      `The agent uses no MCP servers of requests. Send ${JSON.stringify(agent.name)} as server_label, to see the agent's own tools and be asked for approval.`,
    );
  return listed.length === 0 ? undefined : agent.name;
}

/**
 * Returns the session in which a response is continued: its own if nothing came after the response, otherwise a fork.
 */
async function continued(
  state: ServerState,
  identity: Identity,
  previous: string,
  as: string,
): Promise<string> {
  const { session, stored } = await findResponse(state, identity, previous);
  if (stored.isLast) return session.id;
  state.refuseDraining();
  // A request that is repeated with the same key finds the fork that it made before.
  if (!(await isThere(state, as)))
    await state.fork(session.id, { as, at: stored.last, owner: identity.owner });
  return as;
}

/** Gives a client's answers to the waiting run. */
async function resumeRun(
  state: ServerState,
  { identity, body, request }: ResponseCall,
  results: SentResults,
): Promise<AnsweringRun> {
  const { previous_response_id: previous } = body;
  if (typeof previous === 'string' && readResponseId(previous)?.sessionId !== results.sessionId)
    throw invalid(
      'The results are not those of the calls of previous_response_id. Send the response that has them.',
    );
  const session = await state.find(identity, results.sessionId);
  const asking = await answerClient(state, session, { identity, request, results });
  return { session, run: await runOf(state, session), after: asking.id };
}

async function answerWith(
  state: ServerState,
  { body, request }: ResponseCall,
  { session, run, after }: AnsweringRun,
): Promise<Response | object> {
  const place = after ?? run.id;
  const { previous_response_id: previous } = body;
  const record = await state.store.load(session.id);
  const stored = record && storedResponse(record, place);
  if (stored === undefined) throw noResponse(responseId(session.id, place));
  const terms: ResponseTerms = {
    ...stored.notes,
    ...termsOf(session, place, { created: run.startedAt, model: body.model }),
    after,
    previous: typeof previous === 'string' ? previous : undefined,
  };
  // The request was repeated after another run had begun, so it gets its stored response.
  if (session.run?.id !== run.id) return responseOf(stored.part, terms);
  if (body.stream === true) return streamRun(state, session, run, { form: responseForm(terms) });
  return responseOf(responsePart(await eventsToEnd(state, session, run, request.signal), after), terms);
}

function termsOf(
  { id, shownId: _ }: FoundSession,
  place: string,
  { created, model }: { readonly created: number; readonly model: string },
): Pick<ResponseTerms, 'id' | 'model' | 'created' | 'sessionId'> {
  return { id: responseId(id, place), model, created: Math.floor(created / 1000), sessionId: id };
}

interface FoundResponse {
  readonly session: FoundSession;
  readonly stored: StoredResponse;
  readonly place: string;
}

/**
 * Finds a response that the identity may see.
 *
 * @throws `server/NOT_FOUND`; `SESSION_NOT_FOUND`, also for a session of another owner
 */
async function findResponse(state: ServerState, identity: Identity, id: string): Promise<FoundResponse> {
  const read = readResponseId(id);
  if (read === undefined) throw noResponse(id);
  const session = await state.find(identity, read.sessionId);
  const record = await state.store.load(session.id);
  const stored = record && storedResponse(record, read.place);
  if (stored === undefined) throw noResponse(id);
  return { session, stored, place: read.place };
}

function noResponse(id: string): ShallotError {
  return new ShallotError('server/NOT_FOUND', {
    message: `There is no response ${JSON.stringify(id.slice(0, 100))}. Send the id as it came.`,
  });
}
