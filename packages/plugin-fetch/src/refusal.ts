/** The message that the model gets instead of a page: it may try another one, and the run continues. */
export class Refusal extends Error {}
