/** The maximum size of a message from a server; reading stops there. */
export const maxMessageBytes = 10 * 1024 * 1024;
