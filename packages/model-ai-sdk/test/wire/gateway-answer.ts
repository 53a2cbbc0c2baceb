/** The parts of an answer that the gateway can express. */
interface Answer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly args: string; readonly id?: string }[];
  readonly error?: { readonly status: number; readonly message: string; readonly type?: string };
}

interface Spoken {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/**
 * Returns an answer in the format of the AI gateway, which aimock does not support: it is that of the AI SDK's
 * interface.
 */
export function gatewayAnswer(
  { text = '', reasoning, toolCalls = [], error }: Answer,
  isStream: boolean,
): Spoken {
  if (error !== undefined) {
    const body = JSON.stringify({ error: { message: error.message, type: error.type ?? 'server_error' } });
    return { status: error.status, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  }
  const calls = toolCalls.map(({ id, name, args }, index) => ({
    type: 'tool-call',
    toolCallId: id ?? `call_${index}`,
    toolName: name,
    input: args,
  }));
  const finishReason = { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: 'stop' };
  if (!isStream) {
    const thought = reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }];
    const content = [...thought, ...(text === '' ? [] : [{ type: 'text', text }]), ...calls];
    const body = JSON.stringify({ content, finishReason, usage, warnings: [] });
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  }
  const events = [
    { type: 'stream-start', warnings: [] },
    ...(reasoning === undefined ? [] : textEvents('reasoning', reasoning)),
    ...(text === '' ? [] : textEvents('text', text)),
    ...calls,
    { type: 'finish', finishReason, usage },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: Buffer.from(body) };
}

function textEvents(type: 'text' | 'reasoning', text: string): object[] {
  const id = `${type}-1`;
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id },
  ];
}
