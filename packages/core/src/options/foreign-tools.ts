/** The equivalent in Claude Code of a tool of the project's plugins. */
export interface ForeignTool {
  readonly name: string;
  /** Claude Code's names of the arguments, if they differ. */
  readonly keys?: Readonly<Record<string, string>>;
  /** The arguments of the project's tool that are paths. */
  readonly paths?: readonly string[];
  /** The word that permissions use for the tool's access, if it is not the tool's name. */
  readonly access?: string;
}

const file = { keys: { path: 'file_path' }, paths: ['path'] } as const;
const directory = { paths: ['path'], access: 'read' } as const;

/** Tools of the project's plugins, by their default names, with their equivalents in Claude Code. */
export const foreignTools: Readonly<Record<string, ForeignTool>> = {
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

/** Additional names of Claude Code, with the main name of the same tool. */
const otherNames: Readonly<Record<string, string>> = { MultiEdit: 'Edit', Agent: 'Task' };

/** Returns the main name of a tool of Claude Code: `Edit` for `MultiEdit`. */
export function foreignName(foreign: string): string {
  return otherNames[foreign] ?? foreign;
}

/** Tools of Claude Code that no plugin of the project has. */
const onlyThere: ReadonlySet<string> = new Set([
  'BashOutput',
  'EnterPlanMode',
  'ExitPlanMode',
  'KillBash',
  'KillShell',
  'ListMcpResourcesTool',
  'LSP',
  'NotebookEdit',
  'NotebookRead',
  'ReadMcpResourceTool',
  'Skill',
  'SlashCommand',
  'TaskOutput',
  'TaskStop',
  'ToolSearch',
  'WebSearch',
]);

/** Returns true for the name of a tool of Claude Code that has no equivalent here. */
export function isOnlyForeign(name: string): boolean {
  return onlyThere.has(name);
}

/**
 * Returns the names of the tools here that a name of Claude Code stands for: `edit_file` for `Edit`, `github_*` for
 * `mcp__github`; an empty list for any other name.
 */
export function toolsHere(name: string): readonly string[] {
  const [, server, tool = '*'] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? [];
  if (server !== undefined) return [`${server}_${tool}`];
  const first = foreignName(name);
  return Object.entries(foreignTools).flatMap(([here, foreign]) => (foreign.name === first ? [here] : []));
}
