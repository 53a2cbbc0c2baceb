import type { UiChunk, UiPart } from './ui-chunk.ts';

/** Folds the chunks of committed messages into the parts that a client makes of them. */
export class PartFold {
  #parts: UiPart[] = [];

  get parts(): readonly UiPart[] {
    return this.#parts;
  }

  add(chunks: readonly UiChunk[]): void {
    for (const chunk of chunks) this.#add(chunk);
  }

  #add({ type, ...chunk }: UiChunk): void {
    const { id, delta, citations, toolCallId, toolName, approvalId, approvalDescriptor, ...rest } = chunk;
    const cited = citations === undefined ? {} : { citations };
    const approval = {
      id: approvalId,
      ...(approvalDescriptor === undefined ? {} : { descriptor: approvalDescriptor }),
    };
    switch (type) {
      case 'text-start':
        return this.#push({ type: 'text', text: '' });
      case 'reasoning-start':
        return this.#push({ type: 'reasoning', id, text: '' });
      case 'text-delta':
      case 'reasoning-delta':
        return this.#change(this.#parts.length - 1, { text: delta });
      case 'text-end':
      case 'reasoning-end':
        return this.#change(this.#parts.length - 1, { state: 'done', ...cited });
      case 'tool-input-available':
        return this.#takeCall(toolCallId, { type: `tool-${String(toolName)}`, ...rest });
      case 'tool-approval-request':
        return this.#changeCall(toolCallId, { state: 'approval-requested', approval });
      case 'tool-approval-response':
        return this.#change(
          this.#parts.findIndex((part) => isAbout(part, approvalId)),
          {
            state: 'approval-responded',
            approval: { id: approvalId, ...rest },
          },
        );
      case 'tool-output-available':
      case 'tool-output-error':
      case 'tool-output-denied':
        return this.#changeCall(toolCallId, { state: type.slice('tool-'.length), ...rest });
      default:
        return this.#push({ type, ...chunk });
    }
  }

  #push(part: UiPart): void {
    this.#parts.push(part);
  }

  #takeCall(toolCallId: unknown, part: UiPart): void {
    const state = 'input-available';
    if (this.#indexOf(toolCallId) === -1) this.#push({ ...part, toolCallId, state });
    else this.#changeCall(toolCallId, { ...part, state });
  }

  #changeCall(toolCallId: unknown, change: object): void {
    this.#change(this.#indexOf(toolCallId), change);
  }

  #change(index: number, change: object): void {
    const part = this.#parts[index];
    if (part !== undefined) this.#parts[index] = { ...part, ...change };
  }

  #indexOf(toolCallId: unknown): number {
    return this.#parts.findLastIndex((part) => part['toolCallId'] === toolCallId);
  }
}

function isAbout({ approval }: UiPart, approvalId: unknown): boolean {
  return typeof approval === 'object' && approval !== null && Reflect.get(approval, 'id') === approvalId;
}
