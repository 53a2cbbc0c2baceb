import { createClient } from '@shallot/client';
import type { JsonValue } from '@shallot/core';
import OpenAI from 'openai';
import type { Response, ResponseInputItem, ResponseOutputItem } from 'openai/resources/responses/responses';

import { isRecord } from './is-record.ts';
import type { CreatePlayer } from './player.ts';
import { serveSetting } from './serve-setting.ts';
import { ShownTexts } from './shown-texts.ts';
import type { AnsweredPiece, Content, Piece, Question } from './transcript.ts';

/** Plays with streamed responses of the `openai` client, which lists the agent's tools to be asked for approval. */
export const playResponses: CreatePlayer = async (setting) => {
  const texts = new ShownTexts();
  let sessionId = '';
  const running = async (): Promise<string> => {
    for await (const { id } of client.sessions({ status: 'running' })) return id;
    throw new Error('Nothing runs.');
  };
  const served = await serveSetting(setting, {
    send: async (text) => void (await client.send(await running(), text)),
    stop: async () => void (await client.stop(await running())),
    shown: texts.shown,
  });
  const client = createClient({ url: served.url });
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${served.url}/v1`, maxRetries: 0 });
  let user: Piece = { type: 'user', content: [] };
  let questions: Question[] = [];
  let responses: Response[] = [];
  let last: Response | undefined;
  const take = async (input: string | ResponseInputItem[], output?: object): Promise<number> => {
    const stream = openai.responses.stream({
      model: 'shop',
      input,
      tools: [{ type: 'mcp', server_label: 'shop', server_url: served.url }],
      ...(last === undefined ? {} : { previous_response_id: last.id }),
      ...(output === undefined ? {} : { text: { format: formatOf(output) } }),
    });
    stream.on('response.output_text.delta', ({ snapshot }) => texts.note(snapshot));
    let failed: Response | undefined;
    stream.on('response.failed', ({ response }) => (failed = response));
    last = await stream.finalResponse().catch((error: unknown) => {
      if (failed !== undefined) return failed;
      throw error;
    });
    responses.push(last);
    const asked = last.output.filter(({ type }) => type === 'mcp_approval_request');
    questions.push(...asked.map(() => ({ kind: 'approval', payload: null })));
    // If the protocol cannot ask a question, the response fails.
    return asked.length > 0 ? asked.length : Number(codeOf(last) === 'SESSION_INTERRUPTED');
  };
  return {
    begin({ input, output }) {
      [questions, responses] = [[], []];
      const content: readonly Content[] = typeof input === 'string' ? [{ type: 'text', text: input }] : input;
      user = { type: 'user', content };
      return take(
        typeof input === 'string' ? input : [{ role: 'user', content: content.map(sentPart) }],
        output,
      );
    },
    async answer(answers) {
      const asked =
        last?.output.flatMap((item) => (item.type === 'mcp_approval_request' ? [item.id] : [])) ?? [];
      if (asked.length > 0 && answers.every((answer) => isRecord(answer) && answer['decision'] !== 'edit'))
        return take(answers.map((answer, index) => approvalOf(asked[index] ?? '', answer)));
      // Answers that the protocol cannot carry go to the server's own API. Then the response is read again.
      let answered = 0;
      for await (const { sessionId: id, id: interrupt } of client.interrupts())
        await client.answer((sessionId = id), interrupt, answers[answered++] ?? null);
      for await (const _ of (await client.follow(sessionId)) ?? []) continue;
      responses.splice(-1, 1, (last = await openai.responses.retrieve(last?.id ?? '')));
      return 0;
    },
    read() {
      const pieces = responses.flatMap(({ output }) => output.flatMap(pieceOf));
      const code = codeOf(last);
      if (code === 'RUN_ABORTED')
        return { pieces: [user, ...pieces], questions, end: { outcome: 'aborted' } };
      const end = code === undefined ? { outcome: last?.status ?? 'none' } : { outcome: 'failed', code };
      return { pieces: [user, ...pieces], questions, end };
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
};

/** Returns the code of the error of a response, which is a code of Shallot; undefined without an error. */
function codeOf(response: Response | undefined): string | undefined {
  return response?.error?.code;
}

function approvalOf(id: string, answer: JsonValue): ResponseInputItem.McpApprovalResponse {
  const { decision, reason } = isRecord(answer) ? answer : {};
  const why = typeof reason === 'string' ? { reason } : {};
  return { type: 'mcp_approval_response', approval_request_id: id, approve: decision === 'approve', ...why };
}

function sentPart(part: Content): OpenAI.Responses.ResponseInputContent {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const { mediaType, data = '', url = `data:${mediaType};base64,${data}` } = part;
  return { type: 'input_image', image_url: url, detail: 'auto' };
}

function formatOf(schema: object): OpenAI.Responses.ResponseFormatTextJSONSchemaConfig {
  return { type: 'json_schema', name: 'answer', schema: schema as Record<string, JsonValue> };
}

function pieceOf(item: ResponseOutputItem): readonly AnsweredPiece[] {
  if (item.type === 'reasoning') return item.summary.map(({ text }) => ({ type: 'reasoning', text }));
  if (item.type === 'message')
    return item.content.flatMap((part) => (part.type === 'output_text' ? [textPiece(part)] : []));
  if (item.type !== 'mcp_call') return [];
  const { name, output, error } = item;
  const input: unknown = JSON.parse(item.arguments);
  const call = { type: 'call', id: '', name, input } as const;
  if (error !== null && error !== undefined && 'content' in error)
    return [{ ...call, result: { output: error.content, isError: true } }];
  const text = output ?? '';
  return [{ ...call, result: { output: /^[[{]/.test(text) ? (JSON.parse(text) as unknown) : text } }];
}

function textPiece({ text, annotations }: OpenAI.Responses.ResponseOutputText): AnsweredPiece {
  const citations = annotations.flatMap((each) =>
    each.type === 'url_citation'
      ? [
          {
            source: { id: '', url: each.url, title: each.title },
            start: each.start_index,
            end: each.end_index,
          },
        ]
      : [],
  );
  return { type: 'text', text, ...(citations.length === 0 ? {} : { citations }) };
}
