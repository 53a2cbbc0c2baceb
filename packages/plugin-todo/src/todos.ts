/** The progress of an entry. */
export type TodoStatus = 'pending' | 'in_progress' | 'done';

/** An entry of the list. */
export interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
}

const marks: Readonly<Record<TodoStatus, string>> = { pending: '[ ]', in_progress: '[>]', done: '[x]' };

/** Returns the list as text, with the number of entries that are done. */
export function renderTodos(todos: readonly Todo[]): string {
  if (todos.length === 0) return 'The to-do list is empty.';
  const done = todos.filter(({ status }) => status === 'done').length;
  const lines = todos.map(({ content, status }) => `${marks[status]} ${content}`);
  return [`To-do list, ${done} of ${todos.length} done:`, ...lines].join('\n');
}

/** Returns the fault of a list; undefined if it has none. */
export function faultOf(todos: readonly Todo[]): string | undefined {
  const current = todos.filter(({ status }) => status === 'in_progress');
  if (current.length <= 1) return undefined;
  const names = current.map(({ content }) => JSON.stringify(content)).join(', ');
  return `The list was not changed: ${current.length} entries are in progress (${names}), and at most one may be. Send the whole list again.`;
}
