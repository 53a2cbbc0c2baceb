import type { AgentEvent } from '@shallot/core';

import type { Renderer } from '../terminal/renderer.ts';
import type { Screen } from '../terminal/screen.ts';
import { WorkLine } from './work-line.ts';

/** Returns a renderer that shows activity from the start of a step until the model has answered. */
export function thinking(screen: Screen, { hearsReasoning }: { readonly hearsReasoning: boolean }): Renderer {
  const line = new WorkLine(screen, 'thinking');
  return {
    event({ type }: AgentEvent) {
      if (type === 'step-start' || type === 'text-delta' || type === 'restart') line.heard();
      else if (type === 'reasoning-delta' && hearsReasoning) line.heard();
      else if (type === 'message' || type === 'tool-start' || type === 'run-end') line.end();
    },
    end: () => line.end(),
    failed: () => line.end(),
  };
}
