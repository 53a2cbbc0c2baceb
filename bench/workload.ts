/** The work of one run. Every subject gets the same, and its tally proves that it did it. */
export interface Workload {
  /** Pass-through plugins, each on all four of beforeModel, afterModel and the two wraps. */
  readonly layers: number;
  /** Tool steps before the answer: a run makes `steps + 1` model calls. */
  readonly steps: number;
  /** Tool calls of each step. */
  readonly calls: number;
  /** Length of the JSON that the tool returns; 0: its number alone. */
  readonly resultLength: number;
  /** Messages stored before the run. */
  readonly history: number;
  /**
   * The place of those messages: in the session, or in the run's input, the question behind them: as ones that it knows, or as
   * new ones, such as a server makes of a request.
   */
  readonly historyIn: 'session' | 'input' | 'new-input';
  /** True if each layer adds a message to each request. */
  readonly adds: boolean;
  /** Pieces that the answer is streamed in; 0: not streamed, the model answers in one piece. */
  readonly chunks: number;
  /** True if each layer replaces each chunk by a new one. */
  readonly transform: boolean;
  /** True if the model emits its chunks without waiting for them to be taken. */
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
