export {
  graphileQueue,
  graphileQueue as default,
  type GraphileQueue,
  type GraphileQueueOptions,
} from './graphile-queue.ts';
