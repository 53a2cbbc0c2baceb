/** An error whose message the model gets instead of a page. The run continues. */
export class Refusal extends Error {}
