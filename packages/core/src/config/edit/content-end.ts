import { isMap, isNode, isPair, isSeq } from 'yaml';

/** Returns the offset at which a node or pair starts. */
export function startOf(node: unknown): number {
  if (isPair(node)) return startOf(node.key);
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Returns the offset at which a node ends, without trailing comments and empty lines that the parser includes. */
export function contentEnd(node: unknown): number {
  if (isPair(node)) return contentEnd(node.value === null ? node.key : node.value) || contentEnd(node.key);
  if (!isNode(node)) return 0;
  const end = node.range?.[1] ?? 0;
  if ((isMap(node) || isSeq(node)) && node.flow !== true) {
    const last: unknown = node.items.at(-1);
    return last === undefined ? end : Math.max(contentEnd(last), startOf(last));
  }
  return end;
}

/** Returns the offset at which the line starts. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/**
 * Returns the offset at which the line ends, before its line break. At an offset right after a line break, the line is
 * the one before.
 */
export function lineEnd(text: string, offset: number): number {
  // Block scalars end after their line break.
  const from = text[offset - 1] === '\n' ? offset - 1 : offset;
  const end = text.indexOf('\n', from);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}
