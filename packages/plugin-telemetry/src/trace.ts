export { loadPrices, type Price, type Prices } from '@shallot/core/plugin';
export { readTrace, type Trace, type TraceNode, type TracePart } from './lines/read-trace.ts';
export { readTraceTree } from './lines/read-trace-tree.ts';
export {
  traceVersion,
  type TraceEnd,
  type TraceError,
  type TraceHeader,
  type TraceLine,
  type TraceLost,
  type TraceNote,
  type TraceStart,
} from './lines/trace-line.ts';
