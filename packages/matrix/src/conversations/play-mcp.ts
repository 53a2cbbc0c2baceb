import {
  Client,
  isInputRequiredResult,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/client';
import { createClient } from '@shallot/client';
import type { JsonValue } from '@shallot/core';
import { mcpMount } from '@shallot/mcp-server';

import { isRecord } from './is-record.ts';
import type { CreatePlayer, ReadTurn } from './player.ts';
import { serveSetting } from './serve-setting.ts';
import type { Piece, Question } from './transcript.ts';

/** Plays with calls of the tool `ask`, through the client of the protocol's own library. */
export const playMcp: CreatePlayer = async (setting) => {
  /** Finds the run by its status, because a call does not learn the id of its session before it ends or asks. */
  const running = async (): Promise<string> => {
    for await (const { id } of client.sessions({ status: 'running' })) return id;
    throw new Error('Nothing runs.');
  };
  const served = await serveSetting(
    setting,
    {
      send: async (text) => void (await client.send(await running(), text)),
      stop: async () => void (await client.stop(await running())),
      shown: async () => undefined,
    },
    {
      mounts: {
        '/mcp': mcpMount({
          program: { name: 'shop', version: '1.0.0' },
          secret: () => 'a secret of this play',
        }),
      },
    },
  );
  const client = createClient({ url: served.url });
  const mcp = new Client(
    { name: 'conversations', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      inputRequired: { autoFulfill: false },
    },
  );
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`)));
  let session: string | undefined;
  let question = '';
  let asked: InputRequiredResult | undefined;
  let turn: ReadTurn | undefined;
  const questions: Question[] = [];
  const call = async (retry: object): Promise<number> => {
    const args = { question, ...(session === undefined ? {} : { session }) };
    const result = await mcp.callTool(
      { name: 'ask', arguments: args, ...retry },
      { allowInputRequired: true },
    );
    asked = isInputRequiredResult(result) ? result : undefined;
    if (isInputRequiredResult(result)) {
      const open = questionsIn(result);
      questions.push(...open);
      return open.length;
    }
    session = metaOf(result, 'session');
    turn = turnOf(question, questions, result);
    return 0;
  };
  return {
    begin({ input }) {
      questions.length = 0;
      const texts =
        typeof input === 'string' ? [input] : input.map((part) => (part.type === 'text' ? part.text : ''));
      question = texts.filter((text) => text !== '').join('\n');
      return call({});
    },
    answer(answers) {
      const { inputRequests = {}, requestState } = asked ?? {};
      const ids = Object.keys(inputRequests);
      const inputResponses = Object.fromEntries(
        answers.map((each, index) => [ids[index] ?? '', replyWith(each)]),
      );
      return call({ inputResponses, requestState });
    },
    read() {
      if (turn === undefined) throw new Error('The call has not ended.');
      return turn;
    },
    async [Symbol.asyncDispose]() {
      await mcp.close();
      await served[Symbol.asyncDispose]();
    },
  };
};

function turnOf(question: string, questions: readonly Question[], result: CallToolResult): ReadTurn {
  const user: Piece = { type: 'user', content: [{ type: 'text', text: question }] };
  const [first] = result.content;
  if (result.isError === true) {
    const code = metaOf(result, 'code');
    return {
      pieces: [user],
      questions: [],
      end: { outcome: 'failed', ...(code === undefined ? {} : { code }) },
    };
  }
  const text: Piece = { type: 'text', text: first?.type === 'text' ? first.text : '' };
  return { pieces: [user, text], questions: [...questions], end: { outcome: 'completed' } };
}

function metaOf({ _meta: meta }: CallToolResult, key: 'session' | 'code'): string | undefined {
  const value = meta?.[`dev.shallot/${key}`];
  return typeof value === 'string' ? value : undefined;
}

function questionsIn({ inputRequests = {} }: InputRequiredResult): readonly Question[] {
  return Object.values(inputRequests).map(({ params }): Question => {
    const { message, requestedSchema } = params as {
      readonly message: string;
      readonly requestedSchema: { readonly properties: object };
    };
    if ('decision' in requestedSchema.properties) return { kind: 'approval', payload: null };
    // The last paragraph names the session.
    return { kind: 'question', payload: message.split('\n\n').slice(0, -1).join('\n\n') };
  });
}

function replyWith(answer: JsonValue): object {
  if (!isRecord(answer)) return { action: 'accept', content: { answer } };
  const { args, ...content } = answer;
  return {
    action: 'accept',
    content: { ...content, ...(args === undefined ? {} : { arguments: JSON.stringify(args) }) },
  };
}
