import { definePlugin } from '../src/contract/define-plugin.ts';
import type { InputFunction } from '../src/contract/hooks.ts';
import { textPart, type Message } from '../src/contract/messages.ts';
import type { Plugin } from '../src/contract/plugin.ts';
import type { Store } from '../src/contract/store.ts';
import { memoryStore } from '../src/sessions/stores/memory-store.ts';

/** Creates a plugin with a tap on the input. */
export function tapped(fn: InputFunction, { name = 'guard', priority = 50 } = {}): Plugin {
  return definePlugin({
    name,
    priority,
    setup: ({ hooks }) => hooks.beforeAgent.tap({ name: 'input', input: true }, fn),
  })();
}

/** Creates a tap on the input that replaces a text in the messages of users. */
export function replacing(text: string, by: string): InputFunction {
  return (messages) =>
    messages.map((message): Message =>
      message.role === 'user'
        ? {
            ...message,
            content: message.content.map((part) =>
              part.type === 'text' ? textPart(part.text.replaceAll(text, by)) : part,
            ),
          }
        : message,
    );
}

/** Creates a store that records every change committed to it; `noted` returns them as JSON. */
export function noting(): { readonly store: Store; readonly noted: () => string } {
  const inner = memoryStore();
  const changes: string[] = [];
  const store: Store = {
    ...inner,
    commit(sessionId, revision, change) {
      changes.push(JSON.stringify(change));
      return inner.commit(sessionId, revision, change);
    },
  };
  return { store, noted: () => changes.join('\n') };
}
