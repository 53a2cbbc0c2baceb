/** The size of one message of a server, at most: what is larger is not read to its end. */
export const maxMessageBytes = 10 * 1024 * 1024;
