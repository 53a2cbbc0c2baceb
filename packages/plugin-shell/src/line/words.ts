/** The known words of a command: undefined is a word that only the shell knows. */
export type Words = readonly (string | undefined)[];
