import type { Harm, WireRequest } from './wire-server.ts';

const query = 'when do bees swarm';
const url = 'https://bees.example/swarms';
const title = 'Swarms';
const text = 'They swarm in May.';

/** Data that Anthropic expects back unchanged. */
export const encrypted = 'EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3Y';

/** The content of each answer below, and its source. */
export const searched = { query, url, title, text } as const;

/** The protocols that can carry results of a web search. */
export type SearchProtocol = 'anthropic' | 'responses' | 'gemini' | 'chat' | 'cohere' | 'gateway';

const anthropicContent = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', url, title, encrypted_content: encrypted, page_age: null }],
  },
  {
    type: 'text',
    text,
    citations: [
      {
        type: 'web_search_result_location',
        url,
        title,
        encrypted_index: `index-${encrypted}`,
        cited_text: 'Swarms leave in May.',
      },
    ],
  },
];

const annotation = { type: 'url_citation', start_index: 14, end_index: 17, url, title };

const responsesOutput = [
  {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query, sources: [{ type: 'url', url }] },
  },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [annotation], logprobs: [] }],
  },
];

const gemini = {
  candidates: [
    {
      content: { role: 'model', parts: [{ text }] },
      finishReason: 'STOP',
      groundingMetadata: {
        webSearchQueries: [query],
        groundingChunks: [{ web: { uri: url, title } }],
        groundingSupports: [{ segment: { startIndex: 0, endIndex: 18, text }, groundingChunkIndices: [0] }],
      },
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
};

const message = { role: 'assistant', content: text };
const chatSources = {
  annotations: [{ type: 'url_citation', url_citation: { start_index: 14, end_index: 17, url, title } }],
};
const chat = { id: 'c1', object: 'chat.completion', created: 1, model: 'm', citations: [url] };
const chunk = { ...chat, object: 'chat.completion.chunk' };
const chatUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const cohereCitation = {
  start: 14,
  end: 17,
  text: 'May',
  sources: [
    { type: 'document', id: 'doc_1', document: { id: 'doc_1', text: 'Swarms leave in May.', title } },
  ],
};
const cohereUsage = { tokens: { input_tokens: 10, output_tokens: 5 } };

const gatewaySource = { type: 'source', sourceType: 'url', id: 's1', url, title };
const gatewayEnd = {
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } },
};

/** The answer in each protocol, whole and as events. */
const answers: Readonly<
  Record<SearchProtocol, { readonly whole: object; readonly events: readonly object[] }>
> = {
  anthropic: {
    whole: anthropicMessage(anthropicContent, 'end_turn'),
    events: anthropicEvents(anthropicContent, 'end_turn'),
  },
  responses: {
    whole: responsesObject('completed', responsesOutput),
    events: [
      { type: 'response.created', response: responsesObject('in_progress', []) },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...responsesOutput[0], status: 'in_progress' },
      },
      { type: 'response.output_item.done', output_index: 0, item: responsesOutput[0] },
      { type: 'response.output_item.added', output_index: 1, item: { ...responsesOutput[1], content: [] } },
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        delta: text,
      },
      {
        type: 'response.output_text.annotation.added',
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        annotation_index: 0,
        annotation,
      },
      { type: 'response.output_item.done', output_index: 1, item: responsesOutput[1] },
      { type: 'response.completed', response: responsesObject('completed', responsesOutput) },
    ],
  },
  gemini: { whole: gemini, events: [gemini] },
  chat: {
    whole: {
      ...chat,
      choices: [{ index: 0, message: { ...message, ...chatSources }, finish_reason: 'stop' }],
      usage: chatUsage,
    },
    events: [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: chatSources, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: chatUsage },
    ],
  },
  cohere: {
    whole: {
      generation_id: 'g1',
      message: { role: 'assistant', content: [{ type: 'text', text }], citations: [cohereCitation] },
      finish_reason: 'COMPLETE',
      usage: cohereUsage,
    },
    events: [
      { type: 'message-start', id: 'g1' },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text } } } },
      { type: 'content-end', index: 0 },
      { type: 'citation-start', index: 0, delta: { message: { citations: cohereCitation } } },
      { type: 'citation-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: cohereUsage } },
    ],
  },
  gateway: {
    whole: { content: [{ type: 'text', text }, gatewaySource], warnings: [], ...gatewayEnd },
    events: [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: text },
      { type: 'text-end', id: 't' },
      gatewaySource,
      { type: 'finish', ...gatewayEnd },
    ],
  },
};

/** The answer with which Anthropic pauses a turn: it has searched, but not written any text yet. */
export const pausedAnswer = {
  whole: anthropicMessage(anthropicContent.slice(0, 2), 'pause_turn'),
  events: anthropicEvents(anthropicContent.slice(0, 2), 'pause_turn'),
};

const callContent = [{ type: 'text', text: 'I search.' }, ...anthropicContent.slice(0, 1)];

/** The same kind of answer, paused in the middle of a call. */
export const pausedCall = {
  whole: anthropicMessage(callContent, 'pause_turn'),
  events: anthropicEvents(callContent, 'pause_turn'),
};

/** Returns an answer with results of a web search, in the format of a protocol. */
export function searchedAnswer(protocol: SearchProtocol): (request: WireRequest) => { readonly harm: Harm } {
  return spoken(answers[protocol]);
}

/** Returns the answer whole or streamed, as the request asks. */
export function spoken({
  whole,
  events,
}: {
  readonly whole: object;
  readonly events: readonly object[];
}): (request: WireRequest) => { readonly harm: Harm } {
  return (request) => ({
    harm: (response) => {
      const isStream = wantsStream(request);
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(isStream ? events.map(eventText).join('') : JSON.stringify(whole));
    },
  });
}

function wantsStream({ path, text: body, headers }: WireRequest): boolean {
  return (
    /"stream":\s*true/.test(body) ||
    path.includes('streamGenerateContent') ||
    headers['ai-language-model-streaming'] === 'true'
  );
}

function eventText(event: object): string {
  const type = 'type' in event ? `event: ${String(event.type)}\n` : '';
  return `${type}data: ${JSON.stringify(event)}\n\n`;
}

function anthropicMessage(content: readonly object[], stop: string): object {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const about = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude' };
  return { ...about, content, stop_reason: stop, stop_sequence: null, usage };
}

function anthropicEvents(content: readonly object[], stop: string): object[] {
  return [
    { type: 'message_start', message: { ...anthropicMessage([], stop), stop_reason: null } },
    ...content.flatMap(anthropicBlock),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
}

function anthropicBlock(block: object, index: number): object[] {
  const begin = (content_block: object): object => ({ type: 'content_block_start', index, content_block });
  const more = (delta: object): object => ({ type: 'content_block_delta', index, delta });
  const end = { type: 'content_block_stop', index };
  if ('input' in block) {
    const json = more({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) });
    return [begin({ ...block, input: {} }), json, end];
  }
  if (!('citations' in block)) return [begin(block), end];
  const citations = (block.citations as readonly object[]).map((citation) =>
    more({ type: 'citations_delta', citation }),
  );
  return [
    begin({ ...block, text: '', citations: [] }),
    more({ type: 'text_delta', text }),
    ...citations,
    end,
  ];
}

function responsesObject(status: string, output: readonly object[]): object {
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const about = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5' };
  return { ...about, status, output, usage, incomplete_details: null, error: null };
}
