import type { Tool } from '@shallot/core';

/** Returns the only tool whose name differs just by case or separators; undefined if there are none or several. */
export function nearestTool(name: string, tools: readonly Tool[]): Tool | undefined {
  const plain = withoutStyle(name);
  if (plain === '') return undefined;
  const [tool, ...more] = tools.filter((each) => withoutStyle(each.name) === plain);
  return more.length === 0 ? tool : undefined;
}

function withoutStyle(name: string): string {
  return name.toLowerCase().replace(/[\s_.:/-]+/g, '');
}
