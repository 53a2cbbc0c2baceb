import { getEventListeners } from 'node:events';

import { expect, it } from 'vitest';

import { onAbort } from './on-abort.ts';

function listen(signal: AbortSignal | undefined) {
  const heard: unknown[] = [];
  return { heard, forget: onAbort(signal, (reason) => heard.push(reason)) };
}

it('an abort is heard once, with its reason', () => {
  const controller = new AbortController();
  const { heard } = listen(controller.signal);
  expect(heard).toEqual([]);
  controller.abort('enough');
  controller.signal.dispatchEvent(new Event('abort'));
  expect(heard).toEqual(['enough']);
});

it('a signal that is aborted already is heard at once', () => {
  expect(listen(AbortSignal.abort('long ago')).heard).toEqual(['long ago']);
});

it('a listener that was removed hears nothing', () => {
  const controller = new AbortController();
  const { heard, forget } = listen(controller.signal);
  forget();
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  controller.abort();
  expect(heard).toEqual([]);
});

it('without a signal there is nothing to hear, and nothing to remove', () => {
  const { heard, forget } = listen(undefined);
  forget();
  expect(heard).toEqual([]);
});
