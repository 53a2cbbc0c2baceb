export { parseHistory, type HistoryFile, type HistorySection } from './history-format.ts';
export type { SummarizationOptions, TruncationOptions } from './options.ts';
export type { Size } from './size.ts';
export { summarization, summarization as default } from './summarization.ts';
