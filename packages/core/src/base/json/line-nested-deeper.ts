/**
 * Returns the first line (from 1) of a YAML or JSON text that is nested deeper than `maxDepth`, by brackets or
 * indentation; undefined if there is none. Call it before parsing: deep nesting can overflow the parser's stack and end
 * the process. Brackets in quotes count too.
 */
export function lineNestedDeeper(text: string, maxDepth: number): number | undefined {
  let depth = 0;
  for (const [index, line] of text.split('\n').entries()) {
    // The depth of a block is at most the number of its leading spaces and markers.
    const indent = line.search(/(?![ \t]|[-?:]\s)/);
    if (indent > maxDepth * 2) return index + 1;
    for (const character of line) {
      if (character === '[' || character === '{') depth += 1;
      if ((character === ']' || character === '}') && depth > 0) depth -= 1;
      if (depth > maxDepth) return index + 1;
    }
  }
  return undefined;
}
