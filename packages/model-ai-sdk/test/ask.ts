import type { MessageInput, Message } from '@shallot/core';
import type { ChatModel, Chunk, ModelContext, ModelRequest, ModelResponse } from '@shallot/core/model';

export interface Asked {
  readonly response: ModelResponse;
  readonly chunks: readonly Chunk[];
  readonly warnings: readonly string[];
}

/** Calls a model once, without an agent. */
export async function ask(
  model: ChatModel,
  request: Partial<Omit<ModelRequest, 'messages'>> & { readonly messages?: readonly MessageInput[] } = {},
  call: Partial<ModelContext> = {},
): Promise<Asked> {
  const chunks: Chunk[] = [];
  const warnings: string[] = [];
  const messages = (request.messages ?? [{ role: 'user', content: 'Hi' }]).map(complete);
  const response = await model.generate(
    { model, instructions: '', settings: {}, ...request, messages },
    {
      signal: new AbortController().signal,
      wantsChunks: true,
      emit: (chunk) => void chunks.push(chunk),
      warn: (_code, message) => warnings.push(message),
      ...call,
    },
  );
  return { response, chunks, warnings };
}

function complete(message: MessageInput, index: number): Message {
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  // The content has the type that the role requires.
  return { id: `m${index}`, ...message, content: parts } as Message;
}

/** Returns the error that a call rejects with. */
export async function failureOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    (value) => {
      throw new Error(`It answered: ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
