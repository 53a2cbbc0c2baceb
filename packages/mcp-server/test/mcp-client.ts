import {
  Client,
  isInputRequiredResult,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type RequestOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

/** Options of a connected test client. */
export interface TestClientOptions {
  readonly capabilities?: ClientCapabilities;
  /** The revision of the protocol: the newest, or the one before. Default: the newest. */
  readonly revision?: 'newest' | 'older';
  /** A bearer token. */
  readonly token?: string;
}

/** Connects a client of the protocol's own library. */
async function connectClient(
  transport: Transport,
  { capabilities = { elicitation: { form: {} } }, revision = 'newest' }: TestClientOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities,
      versionNegotiation: { mode: revision === 'older' ? 'legacy' : { pin: '2026-07-28' } },
      inputRequired: { autoFulfill: false },
    },
  );
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** Connects a client over streamable HTTP. */
export function connectOverHttp(url: string, options: TestClientOptions = {}): Promise<Client> {
  const { token } = options;
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  return connectClient(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }), options);
}

/** The result of a call, or the question that the server asks first. */
export type CallOutcome = CallToolResult | InputRequiredResult;

/** The second part of a call that led to a question: the replies, and the state that the server gave to the client. */
export interface Retry {
  readonly inputResponses?: Readonly<Record<string, object>>;
  readonly requestState?: string | undefined;
}

/** Calls the tool `ask`. */
export function ask(
  client: Client,
  args: { readonly question: string; readonly session?: string },
  { retry = {}, ...options }: RequestOptions & { readonly retry?: Retry } = {},
): Promise<CallOutcome> {
  return client.callTool(
    { name: 'ask', arguments: { ...args }, ...retry },
    { ...options, allowInputRequired: true },
  );
}

/** Returns the texts of a result. */
export function textsOf(outcome: CallOutcome): readonly string[] {
  if (isInputRequiredResult(outcome)) throw new Error(`A question: ${JSON.stringify(outcome)}`);
  return outcome.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

/** Returns the session that a result names. */
export function sessionOf(outcome: CallOutcome): string {
  return String(outcome._meta?.['dev.shallot/session']);
}

/** Returns the rest of a call with the same reply to each of its questions. */
export function replyTo(outcome: CallOutcome, reply: object): Retry {
  if (!isInputRequiredResult(outcome)) throw new Error(`No question: ${JSON.stringify(outcome)}`);
  const { inputRequests = {}, requestState } = outcome;
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, reply]));
  return { inputResponses, requestState };
}
