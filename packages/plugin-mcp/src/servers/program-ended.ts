/** The program of a server ended before it was connected to; the message says how. */
export class ProgramEnded extends Error {}
