import { writeFileSync } from 'node:fs';
import { PassThrough, Readable, Writable } from 'node:stream';

import {
  client,
  methods,
  ndJsonStream,
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { onTestFinished } from 'vitest';

import { serveAcp, type ServedAgent } from '../src/index.ts';
import { countUpdates } from './wire-log.ts';

export interface EditorOptions {
  readonly capabilities?: ClientCapabilities;
  /** Answers a request for permission. Default: none is ever answered. */
  readonly onPermission?: (
    request: RequestPermissionRequest,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>;
  readonly onForm?: (request: CreateElicitationRequest) => CreateElicitationResponse;
  /** The texts in the editor's windows, by path. Default: the editor shows no file. */
  readonly windows?: Map<string, string>;
}

/** An editor that is connected to an agent in this process, through the protocol's own library. */
export interface TestEditor {
  readonly agent: ClientContext;
  /** All updates, in the order in which they came. */
  readonly updates: readonly SessionUpdate[];
  /** The text of the agent's messages. */
  readonly said: () => string;
  /** The number of updates that came over the wire, valid or not. */
  readonly sent: () => number;
  readonly close: () => Promise<void>;
}

/** Connects an editor, and initializes the connection. */
export async function connectEditor(
  served: () => ServedAgent,
  { capabilities = {}, onPermission, onForm, windows = new Map() }: EditorOptions = {},
): Promise<TestEditor> {
  const toAgent = new PassThrough();
  const { stream: toEditor, count } = countUpdates();
  const connection = serveAcp({
    served,
    program: { name: 'shallot', version: '0.0.0' },
    input: toAgent,
    output: toEditor,
  });
  const updates: SessionUpdate[] = [];
  const editor = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(
      methods.client.session.requestPermission,
      ({ params }) => onPermission?.(params) ?? new Promise<never>(() => {}),
    )
    .onRequest(
      methods.client.elicitation.create,
      ({ params }) => onForm?.(params) ?? { action: 'cancel' as const },
    )
    .onRequest(methods.client.fs.readTextFile, ({ params }) => {
      const content = windows.get(params.path);
      if (content === undefined) throw new Error(`no window shows ${params.path}`);
      return { content };
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
      windows.set(params.path, params.content);
      writeFileSync(params.path, params.content);
      return {};
    })
    .connect(ndJsonStream(Writable.toWeb(toAgent), Readable.toWeb(toEditor) as ReadableStream<Uint8Array>));
  const close = async (): Promise<void> => {
    editor.close();
    await connection.close();
  };
  onTestFinished(close);
  await editor.agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: capabilities,
  });
  const said = (): string =>
    updates
      .flatMap((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
          ? [update.content.text]
          : [],
      )
      .join('');
  return { agent: editor.agent, updates, said, sent: count, close };
}
