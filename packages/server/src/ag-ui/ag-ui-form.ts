import type { EventForm } from '../events/event-stream.ts';
import { protocolVersion, type AgUiEvent, type AgUiMessage } from './ag-ui-event.ts';
import { RunEvents, snapshotEvents, type Beginning } from './run-events.ts';

/**
 * Writes a run as events of AG-UI, beginning at the place of the client. A snapshot replaces the messages of the
 * client first.
 */
export function agUiForm(
  id: string,
  beginning: Beginning,
  snapshot: readonly AgUiMessage[] | undefined,
): EventForm {
  const run = new RunEvents(id, beginning);
  const { threadId, runId } = beginning;
  const start = { type: 'RUN_STARTED', threadId, runId, protocolVersion };
  return {
    first: textOf([start, ...(snapshot === undefined ? [] : snapshotEvents(snapshot))]),
    write({ events }, all) {
      const written: AgUiEvent[] = [];
      for (const { event } of events) {
        const news = run.take(event);
        if (news === undefined) {
          written.push(...run.mend(all().events.map((each) => each.event)));
          break;
        }
        written.push(...news);
      }
      return textOf(written);
    },
    end: () => (run.isOver ? '' : textOf([left])),
  };
}

/** The event for a stream that ends before its run. */
const left: AgUiEvent = {
  type: 'RUN_ERROR',
  code: 'server/DRAINING',
  message: 'The server ends the stream, and the run goes on. Send the messages again to follow it.',
};

function textOf(events: readonly AgUiEvent[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}
