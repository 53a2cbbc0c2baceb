import type { FollowedEvent } from '@shallot/core/work';

/** Yields the events of an event stream, as a browser's EventSource would. @throws if the connection is lost */
export async function* readEvents(url: string, lastEventId?: string): AsyncGenerator<FollowedEvent> {
  const response = await fetch(url, {
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  });
  if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.+)$/m.exec(block)?.[1];
      // The server wrote this JSON.
      if (data !== undefined) yield JSON.parse(data) as FollowedEvent;
    }
  }
}
