/**
 * The version of the other exports of `@shallot/core/command`. It increases with every change that breaks a command
 * built for the previous version.
 */
export const commandApi = 1;
