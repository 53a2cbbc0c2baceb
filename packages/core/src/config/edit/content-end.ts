import { isMap, isNode, isPair, isSeq } from 'yaml';

/** Where the text of a node, or of a pair, begins. */
export function startOf(node: unknown): number {
  if (isPair(node)) return startOf(node.key);
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Where the text of a node ends: before the comments and empty lines that the parser counts to it. */
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

/** Where the line of an offset begins. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', Math.max(0, offset - 1)) + (offset === 0 ? 0 : 1);
}

/** Where the line of an offset ends, before its line break. A text that ends there with a break ends in that line. */
export function lineEnd(text: string, offset: number): number {
  // A block of text ends behind its own line break.
  const from = offset > 0 && text[offset - 1] === '\n' ? offset - 1 : offset;
  const end = text.indexOf('\n', from);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}
