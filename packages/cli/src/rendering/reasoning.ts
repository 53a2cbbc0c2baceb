import type { AgentEvent } from '@shallot/core';

import type { Renderer } from '../terminal/renderer.ts';
import type { Screen } from '../terminal/screen.ts';

/** Streams the model's reasoning to stderr, dimmed. */
export function reasoning(screen: Screen): Renderer {
  let part: number | undefined;
  return {
    event(event: AgentEvent) {
      if (event.type === 'reasoning-delta') {
        if (part !== undefined && part !== event.index) screen.endAside();
        part = event.index;
        return screen.aside(event.text);
      }
      screen.endAside();
      if (event.type === 'restart' && part !== undefined) {
        screen.note(screen.paintNotes.dim('— the reasoning above is void —'));
      }
      if (event.type !== 'part-end') part = undefined;
    },
    end: () => screen.endAside(),
    failed: () => screen.endAside(),
  };
}
