export { todo, todo as default } from './todo.ts';
export type { TodoOptions } from './options.ts';
export type { Todo, TodoStatus } from './todos.ts';
