export { askUser, askUser as default } from './ask-user.ts';
export type { AskUserOptions } from './options.ts';
