import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import {
  client,
  methods,
  ndJsonStream,
  RequestError,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationResponse,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { serveAcp, type ServedAgent } from '@shallot/acp';
import type { JsonValue } from '@shallot/core';

import { AcpTranscript } from './acp-transcript.ts';
import { isRecord } from './is-record.ts';
import type { CreatePlayer, ReadTurn } from './player.ts';
import { ShownTexts } from './shown-texts.ts';
import type { Content, Question } from './transcript.ts';

/** The reason why a prompt stopped: its end, or a question. */
type Halt = { readonly end: ReadTurn['end'] } | { readonly question: Question };

/**
 * Plays with the protocol's own library, as an editor that supports notices and forms. The turn is read by loading
 * the session again. The pieces that were shown during the run must be the same.
 */
export const playAcp: CreatePlayer = async ({ agentFor, store }) => {
  const cwd = await mkdtemp(join(tmpdir(), 'shallot-conversation-'));
  const texts = new ShownTexts();
  const editor = new Editor(texts);
  const agent = await agentFor({
    send: async (text) => {
      editor.send(text);
      // The protocol answers only when the run ends, so the inbox shows that the message arrived.
      while ((await store.inbox?.(editor.sessionId))?.length === 0) await setImmediate();
    },
    stop: () => editor.cancel(),
    shown: texts.shown,
  });
  const served = (): ServedAgent => ({ agent, store, directory: cwd });
  await editor.connect(served);
  await editor.open(cwd);
  let before = 0;
  let questions: Question[] = [];
  let end: ReadTurn['end'] = { outcome: 'none' };
  const take = (halt: Halt): number => {
    if ('end' in halt) {
      end = halt.end;
      return 0;
    }
    questions.push(halt.question);
    return 1;
  };
  return {
    async begin({ input }) {
      questions = [];
      return take(await editor.prompt(typeof input === 'string' ? [{ type: 'text', text: input }] : input));
    },
    async answer([answer]) {
      return take(await editor.answer(answer ?? null));
    },
    async read() {
      const again = new Editor(new ShownTexts());
      await again.connect(served);
      const loaded = await again.load(editor.sessionId, cwd);
      await again.close();
      const live = editor.transcript.withoutUser();
      if (!isDeepStrictEqual(live, loaded.withoutUser()))
        throw new Error(`Shown: ${JSON.stringify(live)}; loaded: ${JSON.stringify(loaded.withoutUser())}`);
      const pieces = loaded.pieces.slice(before);
      before = loaded.pieces.length;
      return { pieces, questions, end };
    },
    async [Symbol.asyncDispose]() {
      await editor.close();
      await rm(cwd, { recursive: true, force: true });
    },
  };
};

/** An editor that is connected by two pipes. */
class Editor {
  transcript = new AcpTranscript();
  sessionId = '';
  readonly #texts: ShownTexts;
  #connection: ReturnType<typeof serveAcp> | undefined;
  #agent: ClientContext | undefined;
  #halt = Promise.withResolvers<Halt>();
  #answered = Promise.withResolvers<JsonValue>();
  /** The fields that the editor fills in if a form follows its decision. */
  #form: Readonly<Record<string, string>> = {};

  constructor(texts: ShownTexts) {
    this.#texts = texts;
  }

  async connect(served: () => ServedAgent): Promise<void> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    this.#connection = serveAcp({ served, program: { name: 'shallot', version: '0.0.0' }, input, output });
    const { agent } = client({ name: 'conversations' })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.transcript.add(params.update);
        this.#texts.note(this.transcript.openText);
      })
      .onRequest(methods.client.session.requestPermission, () => this.#permission())
      .onRequest(methods.client.elicitation.create, ({ params }) => this.#elicited(params.message))
      .connect(ndJsonStream(Writable.toWeb(input), Readable.toWeb(output) as ReadableStream<Uint8Array>));
    this.#agent = agent;
    await agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: { session: { notices: {} }, elicitation: { form: {} } },
    });
  }

  async open(cwd: string): Promise<void> {
    ({ sessionId: this.sessionId } = await this.#context.request('session/new', { cwd, mcpServers: [] }));
  }

  async load(sessionId: string, cwd: string): Promise<AcpTranscript> {
    await this.#context.request('session/load', { sessionId, cwd, mcpServers: [] });
    return this.transcript;
  }

  /** Sends a prompt. Resolves when it has ended, or when it asks. */
  prompt(content: readonly Content[]): Promise<Halt> {
    this.#halt = Promise.withResolvers();
    this.#request(content).then(
      ({ stopReason }) => this.#halt.resolve({ end: { outcome: outcomes[stopReason] ?? 'completed' } }),
      (error: unknown) => this.#halt.resolve({ end: { outcome: 'failed', ...codeOf(error) } }),
    );
    return this.#halt.promise;
  }

  answer(answer: JsonValue): Promise<Halt> {
    this.#halt = Promise.withResolvers();
    const { promise } = this.#halt;
    this.#answered.resolve(answer);
    return promise;
  }

  /** Sends a message to the run in progress. The request ends together with the run. */
  send(text: string): void {
    void this.#request([{ type: 'text', text }]);
  }

  async cancel(): Promise<void> {
    await this.#context.notify('session/cancel', { sessionId: this.sessionId });
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  get #context(): ClientContext {
    if (this.#agent === undefined) throw new Error('The editor is not connected.');
    return this.#agent;
  }

  #request(content: readonly Content[]) {
    return this.#context.request('session/prompt', {
      sessionId: this.sessionId,
      prompt: content.map(blockOf),
    });
  }

  async #permission(): Promise<RequestPermissionResponse> {
    const answer = await this.#asked({ kind: 'approval', payload: null });
    const { decision, args, reason } = isRecord(answer) ? answer : {};
    this.#form = { args: JSON.stringify(args), reason: typeof reason === 'string' ? reason : '' };
    const optionId = decision === 'approve' ? 'allow' : decision === 'edit' ? 'edit' : 'reject-because';
    return { outcome: { outcome: 'selected', optionId } };
  }

  async #elicited(message: string): Promise<CreateElicitationResponse> {
    const form = this.#form;
    this.#form = {};
    if (Object.keys(form).length > 0) return { action: 'accept', content: form };
    const answer = await this.#asked({ kind: 'question', payload: message });
    return {
      action: 'accept',
      content: { answer: typeof answer === 'string' ? answer : JSON.stringify(answer) },
    };
  }

  #asked(question: Question): Promise<JsonValue> {
    this.#answered = Promise.withResolvers();
    this.#halt.resolve({ question });
    return this.#answered.promise;
  }
}

const outcomes: Readonly<Record<string, string>> = { end_turn: 'completed', cancelled: 'aborted' };

function codeOf(error: unknown): { readonly code?: string } {
  const code = error instanceof RequestError && isRecord(error.data) ? error.data['code'] : undefined;
  return typeof code === 'string' ? { code } : {};
}

function blockOf(part: Content): ContentBlock {
  if (part.type === 'text') return part;
  const { mediaType: mimeType, data = '' } = part;
  return { type: 'image', mimeType, data };
}
