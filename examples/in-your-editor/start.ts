// `npm start` starts `shallot acp` as an editor does, gives it one prompt, and prints what an editor would show. The person
// of this story edits the draft without saving it, allows edits, and keeps the facts.
import { spawn } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import {
  client,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';

const folder = import.meta.dirname;
const workspace = join(folder, '.shallot/workspace');
rmSync(join(folder, '.shallot'), { recursive: true, force: true });
cpSync(join(folder, '../workspace-assistant/workspace'), workspace, { recursive: true });

/** The titles of the tool calls so far, by call id. */
const titles = new Map<string, string>();

/** True if the last text that was printed did not end with a newline. */
let isLineOpen = false;

/** The unsaved texts of the editor's windows, by path. */
const windows = new Map<string, string>();
const draft = join(workspace, 'newsletter/draft.md');
windows.set(draft, `${readFileSync(draft, 'utf8')}\nPS: The roof is open on Sundays.\n`);

const shallot = join(fileURLToPath(import.meta.resolve('shallot/package.json')), '../src/main.ts');
const agentProcess = spawn(process.execPath, ['--no-warnings', shallot, 'acp'], {
  cwd: folder,
  stdio: ['pipe', 'pipe', 'inherit'],
});

const editor = client({ name: 'an-editor' })
  .onNotification('session/update', ({ params }) => show(params.update))
  .onRequest('session/request_permission', ({ params }) => decide(params))
  .onRequest('elicitation/create', ({ params }) => {
    print(`[form] ${params.message}`);
    print('  > the bookshop');
    return { action: 'accept', content: { answer: 'the bookshop' } };
  })
  .onRequest('fs/read_text_file', ({ params }) => ({
    content: windows.get(params.path) ?? readFileSync(params.path, 'utf8'),
  }))
  .onRequest('fs/write_text_file', ({ params }) => {
    windows.delete(params.path);
    writeFileSync(params.path, params.content);
    return {};
  })
  .connect(
    // Node declares its own type of web streams, which is the same in substance.
    ndJsonStream(
      Writable.toWeb(agentProcess.stdin),
      Readable.toWeb(agentProcess.stdout) as ReadableStream<Uint8Array>,
    ),
  );

const { agent } = editor;
await agent.request('initialize', {
  protocolVersion: 1,
  clientCapabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    elicitation: { form: {} },
    session: { notices: {}, compaction: {} },
  },
});
const { sessionId, modes } = await agent.request('session/new', { cwd: workspace, mcpServers: [] });
print(`[modes] ${modes?.availableModes.map(({ name }) => name).join(', ') ?? 'none'}`);
print('> Finish the newsletter.');
const { stopReason } = await agent.request('session/prompt', {
  sessionId,
  prompt: [{ type: 'text', text: 'Finish the newsletter.' }],
});
endLine();
print(`[${stopReason}]`);
agentProcess.stdin.end();

function decide({ toolCall, options }: RequestPermissionRequest): RequestPermissionResponse {
  const title = toolCall.title ?? toolCall.toolCallId;
  const kind = title.startsWith('Delete') ? 'reject_once' : 'allow_once';
  print(`[dialog] ${title}: ${options.map(({ name }) => name).join(' | ')}`);
  const chosen = options.find((option) => option.kind === kind);
  print(`  > ${chosen?.name ?? 'cancel'}`);
  return {
    outcome:
      chosen === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen.optionId },
  };
}

function show(update: SessionUpdate): void {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      if (update.content.type === 'text') write(update.content.text);
      break;
    case 'tool_call':
    case 'tool_call_update':
      showCall(update);
      break;
    case 'available_commands_update':
      print(`[commands] ${update.availableCommands.map(({ name }) => `/${name}`).join(' ')}`);
      break;
    case 'notice':
      print(`[notice] ${update.title}`);
      break;
    default:
  }
}

function showCall({ toolCallId, title, status, content }: ToolCallUpdate): void {
  const known = title ?? titles.get(toolCallId) ?? toolCallId;
  titles.set(toolCallId, known);
  if (status === 'in_progress') {
    print(`→ ${known}`);
    for (const each of content ?? []) if (each.type === 'diff') print(`  ${each.newText}`);
  } else if (status === 'completed' || status === 'failed') print(`← ${known}: ${status}`);
}

function write(text: string): void {
  process.stdout.write(text);
  isLineOpen = !text.endsWith('\n');
}

function endLine(): void {
  if (isLineOpen) write('\n');
}

function print(line: string): void {
  endLine();
  write(`${line}\n`);
}
