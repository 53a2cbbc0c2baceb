/** A tool in the words of the format. */
export interface ToolForm {
  readonly name: string;
  /** The format's words for arguments, where they differ. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Arguments of ours that are paths. */
  readonly paths?: readonly string[];
}

const file = { keys: { path: 'file_path' }, paths: ['path'] } as const;
const directory = { paths: ['path'] } as const;

/** Tools of the project's plugins, by their default names, in the words of the format. */
export const toolTable: Readonly<Record<string, ToolForm>> = {
  shell: { name: 'Bash', keys: { timeout_ms: 'timeout' } },
  read_file: { name: 'Read', ...file },
  write_file: { name: 'Write', ...file },
  edit_file: { name: 'Edit', ...file },
  ls: { name: 'LS', ...directory },
  glob: { name: 'Glob', ...directory },
  grep: { name: 'Grep', keys: { ignore_case: '-i' }, ...directory },
  fetch_url: { name: 'WebFetch' },
  task: { name: 'Task', keys: { agent: 'subagent_type' } },
  write_todos: { name: 'TodoWrite' },
  ask_user: { name: 'AskUserQuestion' },
};

/** Names of the format for a tool that has another name there, too. */
const otherNames: Readonly<Record<string, string>> = { MultiEdit: 'Edit', Agent: 'Task' };

/** Returns the names here for a name of the format: `edit_file` for `Edit`, `github_*` for `mcp__github`. */
export function namesHere(name: string, named: Readonly<Record<string, string>>): readonly string[] {
  const [, server, tool = '*'] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? [];
  if (server !== undefined) return [`${server}_${tool}`];
  const wanted = otherNames[name] ?? name;
  const ofTable = Object.entries(toolTable).filter(([, form]) => form.name === wanted);
  const own = Object.entries(named).filter(([, foreign]) => foreign === wanted || foreign === name);
  return [...ofTable, ...own].map(([here]) => here);
}
