/** An error that the model can correct itself: it is told, and the run continues. */
export class Refusal extends Error {}
