import { foreignName, foreignTools } from '@shallot/core/plugin';

/** Returns a name of a rule as it is compared with the format's names: `mcp__github__*` for `mcp__github`. */
export function nameToFit(name: string): string {
  return /^mcp__(?:(?!__).)+$/.test(name) ? `${name}__*` : foreignName(name);
}

/** Returns the names and words that rules may use for a tool of the format, as far as they are known without an agent. */
export function wordsFor(foreign: string, named: Readonly<Record<string, string>>): readonly string[] {
  const first = foreignName(foreign);
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(foreign) ?? [];
  const ofTable = Object.entries(foreignTools).filter(([, { name }]) => name === first);
  const own = Object.entries(named).filter(([, name]) => foreignName(name) === first);
  return [
    first,
    ...ofTable.flatMap(([here, { access }]) => (access === undefined ? [here] : [here, access])),
    ...own.map(([here]) => here),
    ...(server === undefined ? [] : [`${server}_${tool}`]),
  ];
}
