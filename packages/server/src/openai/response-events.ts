import type { ResponseItem } from './response-items.ts';

/** An event of a streamed response. */
export interface ResponseEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An item of a stream that is not complete, and the text that the client has of it. */
export interface OpenItem {
  readonly id: string;
  readonly type: 'message' | 'reasoning';
  readonly output_index: number;
  text: string;
}

/** Returns the events that begin a text or reasoning. */
export function beginItem({ id, type, output_index }: OpenItem): readonly ResponseEvent[] {
  const item =
    type === 'message'
      ? { id, type, role: 'assistant', status: 'in_progress', content: [] }
      : { id, type, status: 'in_progress', summary: [] };
  const at = placeIn(type, { id, output_index });
  const part =
    type === 'message'
      ? { type: 'output_text', text: '', annotations: [] }
      : { type: 'summary_text', text: '' };
  return [
    { type: 'response.output_item.added', output_index, item },
    { type: `response.${names[type].part}.added`, ...at, part },
  ];
}

export function addText({ id, type, output_index }: OpenItem, delta: string): ResponseEvent {
  const logprobs = type === 'message' ? { logprobs: [] } : {};
  return {
    type: `response.${names[type].text}.delta`,
    ...placeIn(type, { id, output_index }),
    delta,
    ...logprobs,
  };
}

/** Returns the events that complete a text or reasoning with its final item. */
export function endItem(
  { id, type, output_index, text }: OpenItem,
  item: ResponseItem,
): readonly ResponseEvent[] {
  const at = placeIn(type, { id, output_index });
  const [part]: unknown[] = [item['content'] ?? item['summary']].flat();
  const logprobs = type === 'message' ? { logprobs: [] } : {};
  return [
    { type: `response.${names[type].text}.done`, ...at, text, ...logprobs },
    { type: `response.${names[type].part}.done`, ...at, part },
    { type: 'response.output_item.done', output_index, item },
  ];
}

/** Returns the events of an item that is sent at once, such as a call. */
export function wholeItem(item: ResponseItem, output_index: number): readonly ResponseEvent[] {
  const { id, type } = item;
  if (type !== 'function_call')
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: type === 'mcp_call' ? { ...item, status: 'in_progress', output: null, error: null } : item,
      },
      { type: 'response.output_item.done', output_index, item },
    ];
  const at = { item_id: id, output_index };
  return [
    {
      type: 'response.output_item.added',
      output_index,
      item: { ...item, arguments: '', status: 'in_progress' },
    },
    { type: 'response.function_call_arguments.delta', ...at, delta: item['arguments'] },
    {
      type: 'response.function_call_arguments.done',
      ...at,
      name: item['name'],
      arguments: item['arguments'],
    },
    { type: 'response.output_item.done', output_index, item },
  ];
}

const names = {
  message: { part: 'content_part', text: 'output_text' },
  reasoning: { part: 'reasoning_summary_part', text: 'reasoning_summary_text' },
} as const;

function placeIn(
  type: OpenItem['type'],
  { id, output_index }: { readonly id: string; readonly output_index: number },
): object {
  return { item_id: id, output_index, ...(type === 'message' ? { content_index: 0 } : { summary_index: 0 }) };
}
