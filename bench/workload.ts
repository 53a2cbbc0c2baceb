/** What one run has to do. Every subject gets the same one, and its tally proves that it did it. */
export interface Workload {
  /** Pass-through plugins, each on all four of beforeModel, afterModel and the two wraps. */
  readonly layers: number;
  /** Tool steps before the answer: a run makes `steps + 1` model calls and `steps` tool calls. */
  readonly steps: number;
  /** Messages that the session holds before the run. */
  readonly history: number;
  /** Pieces that the answer is streamed in; 0: not streamed, the model answers in one piece. */
  readonly chunks: number;
  /** Whether each layer replaces each chunk by a new one. */
  readonly transform: boolean;
  /** `turn`: each model and tool call waits for one turn of the event loop, so that runs overlap. */
  readonly latency: 'none' | 'turn';
}

/** The run of the headline row: two model calls, one tool call, no layers, nothing streamed. */
export const plainRun: Workload = Object.freeze({
  layers: 0,
  steps: 1,
  history: 0,
  chunks: 0,
  transform: false,
  latency: 'none',
});
