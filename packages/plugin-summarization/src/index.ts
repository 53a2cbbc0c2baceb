export { parseHistory, type HistoryFile, type HistorySection } from './history/history-format.ts';
export type { SummarizationOptions, TruncationOptions } from './settings/options.ts';
export type { Size } from '@shallot/core/plugin';
export { summarization, summarization as default } from './summarization.ts';
