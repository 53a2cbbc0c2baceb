/**
 * The first line, from 1, of a YAML or JSON text that is nested deeper than `maxDepth`, by its brackets or by what its
 * lines begin with; undefined if none is. To be asked before parsing: a text that nests deeply takes the parser to the
 * end of its stack, where it may take the process down. What stands in quotes is counted like the rest.
 */
export function lineNestedDeeper(text: string, maxDepth: number): number | undefined {
  let depth = 0;
  for (const [index, line] of text.split('\n').entries()) {
    // A block is never deeper than the spaces and markers that its line begins with.
    const indent = /^(?:[ \t]|[-?:](?=\s))*/.exec(line)?.[0].length ?? 0;
    if (indent > maxDepth * 2) return index + 1;
    for (const character of line) {
      if (character === '[' || character === '{') depth += 1;
      if ((character === ']' || character === '}') && depth > 0) depth -= 1;
      if (depth > maxDepth) return index + 1;
    }
  }
  return undefined;
}
