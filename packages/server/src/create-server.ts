import { ShallotError } from '@shallot/core';
import { Hono } from 'hono';

import { requireRight } from './access/authenticator.ts';
import { allowOrigin, checkSource } from './access/check-source.ts';
import { nameOf, type Identity } from './access/identity.ts';
import { RateLimit } from './access/rate-limit.ts';
import { agUiHandlers } from './ag-ui/ag-ui-handlers.ts';
import { otherHandlers } from './api/other-handlers.ts';
import { runHandlers } from './api/run-handlers.ts';
import { ServerState, type ServedAgent } from './api/server-state.ts';
import { sessionHandlers } from './api/session-handlers.ts';
import { chatHandlers } from './chat/chat-handlers.ts';
import { checkInput, readQuery } from './http/check-input.ts';
import { isForLog, problemResponse } from './http/problem.ts';
import { readJson } from './http/read-json.ts';
import type { Answer, CheckedCall, Route } from './http/route.ts';
import { routes } from './http/routes.ts';
import { observeRequests } from './observe/observe-requests.ts';
import { noteRequest } from './observe/request-notes.ts';
import { openAiProblem } from './openai/error-response.ts';
import { openAiHandlers } from './openai/openai-handlers.ts';
import { pageResponse } from './page/page-response.ts';
import { readServerOptions, type ServerOptions, type ServerSettings } from './server-options.ts';

/** An agent, served over HTTP. */
export interface AgentServer extends AsyncDisposable {
  /** Answers a request. Used by `listen`, by tests, and by other programs with a server of their own. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Returns a `fetch` for a sender that another check has admitted, such as the owner of the process. Requests have
   * the rights of this identity, and skip the checks of source, credentials and rate.
   */
  readonly as: (identity: Identity) => (request: Request) => Promise<Response>;
  /**
   * True without `auth`. Everybody who reaches the server is then the operator, so it may listen only on addresses of
   * this machine.
   */
  readonly isForThisMachine: boolean;
  /** Serves another agent, for example after a reload; undefined if there is no agent for now. */
  use(served: ServedAgent | undefined): void;
  /**
   * Begins no more runs, and resolves when the runs in progress have ended their step. They can be resumed later.
   * Then the streams end. The agent stays open.
   */
  close(): Promise<void>;
}

/**
 * Serves an agent over HTTP: sessions, runs, their events, and answers to their questions. Runs are submitted to the
 * store and executed by a worker in this process, so they continue when clients disconnect or the server restarts. If
 * several processes share the store, the agent needs a name.
 * @throws `OPTION_INVALID`
 */
export function createServer(served: ServedAgent | undefined, options: ServerOptions = {}): AgentServer {
  const settings = readServerOptions(options);
  const state = new ServerState(served, settings.terms);
  const handlers = {
    ...sessionHandlers(state),
    ...runHandlers(state),
    ...chatHandlers(state),
    ...openAiHandlers(state),
    ...agUiHandlers(state),
    ...otherHandlers(state),
  };
  const app = new Hono();
  const observe = observeRequests(settings.onRequest);
  const admitted = new WeakMap<Request, Identity>();
  const { admit, identify } = admission(settings, admitted);
  const as: AgentServer['as'] = (identity) => async (request) => {
    admitted.set(request, identity);
    return app.fetch(request);
  };
  for (const [name, route] of Object.entries<Route>(routes)) {
    // The cast is safe: `callOf` makes the call from the same row that types the handler.
    const handle = handlers[name as keyof typeof handlers] as (call: CheckedCall) => Answer | Promise<Answer>;
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), async ({ req }) => {
      noteRequest({ route: route.path });
      const call = await callOf(route, req.raw, req.param(), { admit, maxBytes: settings.terms.bodyBytes });
      const answer = await handle(call);
      const response = answer instanceof Response ? answer : json(answer, route.answer.status);
      // HEAD is answered as GET, and nobody reads the body.
      if (req.method === 'HEAD') await response.body?.cancel();
      return response;
    });
  }
  for (const [path, mount] of Object.entries(settings.mounts))
    app.all(path, async ({ req: { raw } }) => {
      const identity = await identify(raw);
      return mount(raw, { identity, fetch: as(identity) });
    });
  app.get('/', pageResponse);
  app.notFound(({ req }) => refusal(req.raw, noSuchRoute(req.raw)));
  app.onError((error, { req }) => {
    if (isForLog(error)) settings.terms.onError(error);
    return refusal(req.raw, error);
  });
  const close = (): Promise<void> => state.close();
  return {
    fetch: (request) => observe(request, () => answer(app, request, settings)),
    as,
    isForThisMachine: options.auth === undefined,
    use: (next) => state.use(next),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function answer(app: Hono, request: Request, { source }: ServerSettings): Promise<Response> {
  try {
    checkSource(request, source);
  } catch (error) {
    return refusal(request, error);
  }
  const response =
    request.method === 'OPTIONS' ? new Response(null, { status: 204 }) : await app.fetch(request);
  response.headers.set('x-content-type-options', 'nosniff');
  return allowOrigin(request, response, source);
}

/** Answers with an error in the form of the request's protocol. */
function refusal({ url }: Request, error: unknown): Response {
  return new URL(url).pathname.startsWith('/v1/') ? openAiProblem(error) : problemResponse(error);
}

type Admit = (request: Request, route: Route) => Promise<Identity>;

interface Admission {
  /** Finds out who sent a request to a route, and refuses senders without the right. */
  readonly admit: Admit;
  /** Finds out who sent a request, and counts it. */
  readonly identify: (request: Request) => Promise<Identity>;
}

function admission(
  { identify, requestsPerMinute }: ServerSettings,
  admitted: WeakMap<Request, Identity>,
): Admission {
  const rate = new RateLimit(requestsPerMinute);
  const counted = async (request: Request): Promise<Identity> => {
    const identity = await identify(request);
    rate.count(identity);
    return identity;
  };
  return {
    async admit(request, { right }) {
      if (right === 'none') return {};
      const identity = admitted.get(request) ?? (await counted(request));
      noteRequest({ by: nameOf(identity) });
      requireRight(identity, right);
      return identity;
    },
    identify: counted,
  };
}

/** Checks a request against the row of its route. */
async function callOf(
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  { admit, maxBytes }: { readonly admit: Admit; readonly maxBytes: number },
): Promise<CheckedCall> {
  const identity = await admit(request, route);
  const given = new URL(request.url).searchParams;
  const { query = {}, body } = route;
  return {
    identity,
    request,
    params,
    query: checkInput('query', query, readQuery(query, given)),
    body: body && checkInput('body', body, await readJson(request, maxBytes)),
  };
}

function json(value: object, status: number): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return new Response(JSON.stringify(value), { status, headers });
}

function noSuchRoute({ method, url }: Request): ShallotError {
  const path = new URL(url).pathname.slice(0, 100);
  return new ShallotError('server/NOT_FOUND', {
    message: `There is no ${method} ${path}. GET /openapi.json describes all routes.`,
  });
}
