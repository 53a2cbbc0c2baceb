/** A tool of the project's plugins, as Claude Code has it. */
export interface ForeignTool {
  readonly name: string;
  /** Its words for arguments, where they differ. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Arguments of ours that are paths. */
  readonly paths?: readonly string[];
  /** The word of permissions for what the tool does, where it is not the tool's name. */
  readonly access?: string;
}

const file = { keys: { path: 'file_path' }, paths: ['path'] } as const;
const directory = { paths: ['path'], access: 'read' } as const;

/** Tools of the project's plugins, by their default names, with the words of Claude Code for them. */
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

/** Further names there for tools that have another one. */
const otherNames: Readonly<Record<string, string>> = { MultiEdit: 'Edit', Agent: 'Task' };

/** Returns the first name there of a tool: `Edit` for `MultiEdit`. */
export function foreignName(foreign: string): string {
  return otherNames[foreign] ?? foreign;
}

/** Tools there that no plugin of the project has. */
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

/** Returns true for the name of a tool of Claude Code that nothing here stands for. */
export function isOnlyForeign(name: string): boolean {
  return onlyThere.has(name);
}

/**
 * Returns the names of the tools here that a name there stands for: `edit_file` for `Edit`, `github_*` for `mcp__github`; none for a name
 * that is not one of its own.
 */
export function toolsHere(name: string): readonly string[] {
  const [, server, tool = '*'] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? [];
  if (server !== undefined) return [`${server}_${tool}`];
  const first = foreignName(name);
  return Object.entries(foreignTools).flatMap(([here, foreign]) => (foreign.name === first ? [here] : []));
}
