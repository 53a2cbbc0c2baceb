/** What the model can put right itself: it is told so, and the run goes on. */
export class Refusal extends Error {}
