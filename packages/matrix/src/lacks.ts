import type { Lack } from './lack.ts';
import { lacksOfCalls } from './lacks-of-calls.ts';
import { lacksOfContext } from './lacks-of-context.ts';
import { lacksOfGuards } from './lacks-of-guards.ts';

/** The table: one row for each thing that a plugin of the repository depends on. */
export const lacks: readonly Lack[] = [...lacksOfGuards, ...lacksOfCalls, ...lacksOfContext];
