import { createAgent, textOf, type JsonObject, type ToolMessage } from '@shallot/core';
import { memoryFiles, type Files } from '@shallot/core/files';
import { scriptedModel } from '@shallot/testing';

import { filesystem, type FilesystemOptions } from '../src/index.ts';

export interface Called {
  readonly text: string;
  readonly isError: boolean;
  readonly message: ToolMessage;
}

type Call = (args: JsonObject) => Promise<Called>;

/** Creates an agent with the plugin's tools over some files, and functions that call the tools in one session. */
export async function testTools(options: FilesystemOptions = {}, files: Files = memoryFiles()) {
  let wanted: { readonly name: string; readonly args: JsonObject } | undefined;
  const model = scriptedModel(
    Array.from(
      { length: 400 },
      (_, index) => () =>
        index % 2 === 0 && wanted !== undefined ? { toolCalls: [wanted] } : { text: 'Done.' },
    ),
  );
  const agent = await createAgent({ model, files, plugins: [filesystem(options)], log: 'silent' });
  const call = async (name: string, args: JsonObject): Promise<Called> => {
    wanted = { name, args };
    const { messages } = await agent.run('Work.', { sessionId: 's' });
    const message = messages.find(({ role }) => role === 'tool');
    if (message?.role !== 'tool') throw new Error('no tool was called');
    return { text: textOf(message), isError: message.isError === true, message };
  };
  const named =
    (name: string): Call =>
    (args) =>
      call(`${options.prefix ?? ''}${name}`, args);
  return {
    agent,
    files,
    call,
    ls: named('ls'),
    read: named('read_file'),
    write: named('write_file'),
    edit: named('edit_file'),
    remove: named('delete_file'),
    glob: named('glob'),
    grep: named('grep'),
    [Symbol.asyncDispose]: () => agent.close(),
  };
}
