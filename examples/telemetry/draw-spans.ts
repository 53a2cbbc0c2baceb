import type { ReceivedSpan } from './receiver.ts';

/** Returns a line for each span, indented below its parent, with its duration and what a layer changed. */
export function drawSpans(spans: readonly ReceivedSpan[]): string[] {
  const inOrder = spans.toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
  const known = new Set(spans.map(({ spanId }) => spanId));
  const roots = inOrder.filter(({ parentSpanId = '' }) => !known.has(parentSpanId));
  return roots.flatMap((root) => draw(root, inOrder, 0));
}

function draw(span: ReceivedSpan, all: readonly ReceivedSpan[], depth: number): string[] {
  const inside = all.filter(({ parentSpanId }) => parentSpanId === span.spanId);
  return [
    `${'  '.repeat(depth)}${describe(span)}`,
    ...inside.flatMap((child) => draw(child, all, depth + 1)),
  ];
}

function describe(span: ReceivedSpan): string {
  const nanos = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
  const tokens = [valueOf(span, 'gen_ai.usage.input_tokens'), valueOf(span, 'gen_ai.usage.output_tokens')];
  const notes = [
    `${(Number(nanos) / 1e6).toFixed(1)} ms`,
    ...(tokens[0] === undefined ? [] : [`${tokens.join(' + ')} tokens`]),
    ...[valueOf(span, 'error.type')].flatMap((type) => (type === undefined ? [] : [`failed: ${type}`])),
    ...[valueOf(span, 'shallot.layer.changes')].flatMap((changes) =>
      changes === undefined ? [] : [changes],
    ),
  ];
  return `${span.name}  (${notes.join(', ')})`;
}

function valueOf({ attributes }: ReceivedSpan, key: string): string | undefined {
  const value = attributes.find((attribute) => attribute.key === key)?.value;
  const [first] = Object.values(value ?? {});
  return typeof first === 'string' || typeof first === 'number' ? String(first) : undefined;
}
