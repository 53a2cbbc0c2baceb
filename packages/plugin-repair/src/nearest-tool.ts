import type { Tool } from '@shallot/core';

/** The one tool whose name differs from this by case or separators only; undefined when there are several, or none. */
export function nearestTool(name: string, tools: readonly Tool[]): Tool | undefined {
  const plain = withoutStyle(name);
  if (plain === '') return undefined;
  const [tool, ...more] = tools.filter((each) => withoutStyle(each.name) === plain);
  return more.length === 0 ? tool : undefined;
}

function withoutStyle(name: string): string {
  return name.toLowerCase().replace(/[\s_.:/-]+/g, '');
}
