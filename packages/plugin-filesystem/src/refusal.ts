/** An error that the model can correct itself. The model gets its message as the result, and the run continues. */
export class Refusal extends Error {}
