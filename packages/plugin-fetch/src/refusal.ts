/** What the model is told instead of a page: it may try another one, and the run goes on. */
export class Refusal extends Error {}
