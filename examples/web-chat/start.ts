// `npm start`: does what the page does, without a browser. The agent asks, the server is restarted, and then the
// question is answered.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';

import { DefaultChatTransport, isToolUIPart, readUIMessageStream, type UIMessage } from 'ai';

const folder = import.meta.dirname;
rmSync(`${folder}/.shallot`, { recursive: true, force: true });

let running = await startServer();
const question: UIMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Three rose bushes' }] };
console.log(`You: Three rose bushes`);
const asked = await send([question]);
show(asked);

running.server.kill('SIGTERM');
await once(running.server, 'exit');
running = await startServer();
console.log('(the server was restarted)');

const response = await fetch(`${running.url}/chat/garden-1`);
const { messages } = (await response.json()) as { readonly messages: UIMessage[] };
for (const message of messages) message.parts = message.parts.map(approve);
console.log('You: approved');
show(await send(messages));
running.server.kill('SIGTERM');
await once(running.server, 'exit');

/** Starts the server on a free port. */
async function startServer(): Promise<{ readonly server: ChildProcess; readonly url: string }> {
  const server = spawn(process.execPath, ['--no-warnings', 'server.ts'], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const piece of server.stdout) {
    text += String(piece);
    const [, url] = /Open (\S+)\n/.exec(text) ?? [];
    if (url !== undefined) return { server, url };
  }
  throw new Error('The server did not start.');
}

/** Sends messages as `useChat` does, and reads the stream of the run. */
async function send(messages: UIMessage[]): Promise<UIMessage> {
  const transport = new DefaultChatTransport({ api: `${running.url}/chat` });
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'garden-1',
    messageId: undefined,
    messages,
    abortSignal: undefined,
  });
  let message = messages.at(-1);
  // The answer is added to the message that asked.
  const terms = message?.role === 'assistant' ? { message, stream } : { stream };
  for await (const newer of readUIMessageStream(terms)) message = newer;
  if (message === undefined) throw new Error('There is no answer.');
  return message;
}

function approve(part: UIMessage['parts'][number]): UIMessage['parts'][number] {
  if (!isToolUIPart(part) || part.state !== 'approval-requested') return part;
  return { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } };
}

function show({ parts }: UIMessage): void {
  for (const part of parts) {
    if (part.type === 'text') console.log(`Agent: ${part.text}`);
    if (isToolUIPart(part)) console.log(`  ${part.type} ${JSON.stringify(part.input)} ${part.state}`);
  }
}
