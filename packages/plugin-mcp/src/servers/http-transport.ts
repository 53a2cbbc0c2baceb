import {
  isJSONRPCRequest,
  isJSONRPCResponse,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/client';

/** The error code for a response stream that ended without a response. */
export const streamEndedCode = -32_098;

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/**
 * A transport over streamable HTTP in which a request fails as soon as its response stream ends without the response.
 * With that of the client library, a call to a server that dies would wait for its time limit.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #unanswered = new Set<RequestId>();

  constructor(...given: ConstructorParameters<typeof StreamableHTTPClientTransport>) {
    super(...given);
    // The client calls a handler set before connecting, then its own.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no EventTarget
    this.onmessage = (message) => {
      if (isJSONRPCResponse(message) && message.id !== undefined) this.#unanswered.delete(message.id);
    };
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!isJSONRPCRequest(message)) return super.send(message, options);
    const { id } = message;
    this.#unanswered.add(id);
    try {
      await super.send(message, {
        ...options,
        onRequestStreamEnd: () => {
          options?.onRequestStreamEnd?.();
          this.#onStreamEnd(id);
        },
      });
    } catch (error) {
      this.#unanswered.delete(id);
      throw error;
    }
  }

  #onStreamEnd(id: RequestId): void {
    if (!this.#unanswered.delete(id)) return;
    const error = { code: streamEndedCode, message: 'the connection ended before the answer arrived' };
    this.onmessage?.({ jsonrpc: '2.0', id, error });
  }
}
