/** A tool in the words of the format. */
export interface ToolForm {
  readonly name: string;
  /** The format's words for arguments, where they differ. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Arguments of ours that are paths. */
  readonly paths?: readonly string[];
  /** The word of permissions for what the tool does, where it is not the tool's name. */
  readonly access?: string;
}

const file = { keys: { path: 'file_path' }, paths: ['path'] } as const;
const directory = { paths: ['path'], access: 'read' } as const;

/** Tools of the project's plugins, by their default names, in the words of the format. */
export const toolTable: Readonly<Record<string, ToolForm>> = {
  shell: { name: 'Bash', keys: { timeout_ms: 'timeout' } },
  read_file: { name: 'Read', access: 'read', ...file },
  write_file: { name: 'Write', access: 'edit', ...file },
  edit_file: { name: 'Edit', access: 'edit', ...file },
  ls: { name: 'LS', ...directory },
  glob: { name: 'Glob', ...directory },
  grep: { name: 'Grep', keys: { ignore_case: '-i' }, ...directory },
  fetch_url: { name: 'WebFetch', access: 'fetch' },
  task: { name: 'Task', keys: { agent: 'subagent_type' } },
  write_todos: { name: 'TodoWrite' },
  ask_user: { name: 'AskUserQuestion' },
};

/** The format's other names for tools: a rule with one of them is about the tool. */
const otherNames: Readonly<Record<string, string>> = { MultiEdit: 'Edit', Agent: 'Task' };

/** Returns the format's first name for a tool: `Edit` for `MultiEdit`. */
export function firstName(foreign: string): string {
  return otherNames[foreign] ?? foreign;
}

/** Returns a name of a rule as it is compared with the format's names: `mcp__github__*` for `mcp__github`. */
export function nameToFit(name: string): string {
  return /^mcp__(?:(?!__).)+$/.test(name) ? `${name}__*` : firstName(name);
}

/** Returns the names and words that rules may use for a tool of the format, as far as they are known without an agent. */
export function wordsFor(foreign: string, named: Readonly<Record<string, string>>): readonly string[] {
  const first = firstName(foreign);
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(foreign) ?? [];
  const ofTable = Object.entries(toolTable).filter(([, { name }]) => name === first);
  const own = Object.entries(named).filter(([, name]) => firstName(name) === first);
  return [
    first,
    ...ofTable.flatMap(([here, { access }]) => (access === undefined ? [here] : [here, access])),
    ...own.map(([here]) => here),
    ...(server === undefined ? [] : [`${server}_${tool}`]),
  ];
}
