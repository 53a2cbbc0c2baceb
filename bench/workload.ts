/** The work of one run. Every subject has the same, and its tally proves that it was done. */
export interface Workload {
  /**
   * The number of pass-through plugins. Each taps `beforeModel`, `afterModel` and both wraps, as far as the subject
   * allows.
   */
  readonly layers: number;
  /** The number of tool steps before the answer: a run makes `steps + 1` model calls. */
  readonly steps: number;
  /** The number of tool calls in each step. */
  readonly calls: number;
  /** The length of the JSON that the tool returns; 0 if it returns only its number. */
  readonly resultLength: number;
  /** The number of messages before the run. */
  readonly history: number;
  /**
   * The place of those messages: the session, or the run's input, before the question. In `input` they are messages
   * that a run returned; in `new-input` they are parsed anew for each run, as a server parses a request.
   */
  readonly historyIn: 'session' | 'input' | 'new-input';
  /** True if each layer adds a message to each request. */
  readonly adds: boolean;
  /** The number of pieces that the answer is streamed in; 0 if it is not streamed. */
  readonly chunks: number;
  /** True if each layer replaces each chunk with a new one. */
  readonly transform: boolean;
  /** True if the model emits chunks without waiting until each was consumed. */
  readonly burst: boolean;
  /** `turn`: each model and tool call waits for one turn of the event loop, so that runs overlap. */
  readonly latency: 'none' | 'turn';
}

/** The run of the headline row: two model calls, one tool call, no layers, nothing streamed. */
export const plainRun: Workload = Object.freeze({
  layers: 0,
  steps: 1,
  calls: 1,
  resultLength: 0,
  history: 0,
  historyIn: 'session',
  adds: false,
  chunks: 0,
  transform: false,
  burst: false,
  latency: 'none',
});
