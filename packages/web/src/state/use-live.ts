import { useEffect, useState } from 'preact/hooks';

import type { Live } from './live.ts';

/** Returns a watched value. Changes within one frame are shown together. */
export function useLive<T>(live: Live<T>): T {
  const [, setShown] = useState(live.value);
  useEffect(() => {
    let frame: number | undefined;
    const show = (): void => {
      frame = undefined;
      setShown(live.value);
    };
    // A page in the background gets no frames. It shows the last value when it becomes visible.
    const unwatch = live.watch(() => (frame ??= requestAnimationFrame(show)));
    show();
    return () => {
      unwatch();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [live]);
  return live.value;
}
