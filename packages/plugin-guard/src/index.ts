export { guard, guard as default } from './guard.ts';
export type { Action, Check, CheckOptions, GuardOptions, Subject, TextToCheck } from './options.ts';
export type { Verdict } from './verdict.ts';
