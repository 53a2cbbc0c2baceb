/** Thrown if the program of a server ended before it was connected to. The message says how it ended. */
export class ProgramEnded extends Error {}
