import type { Tool } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

import type { Callee } from './call-tool.ts';
import { lines, noArguments, readTool, textOfArgument } from './read-tool.ts';
import { partsOf } from './to-result.ts';

/** Returns the tools with which a model lists and fills in the server's prompts. */
export function promptTools(callee: Callee): readonly Tool[] {
  return [
    readTool(callee, 'list_prompts', {
      description: 'Lists the prompts of a server, with their arguments.',
      input: noArguments,
      async work(_, ask) {
        const { prompts } = await ask('The list of its prompts', (client, options) =>
          client.listPrompts(undefined, options),
        );
        return lines(
          prompts.map(({ name, description, arguments: args = [] }) => [
            name,
            args.map((each) => (each.required === true ? each.name : `${each.name}?`)).join(', '),
            description,
          ]),
        );
      },
    }),
    readTool(callee, 'get_prompt', {
      description: 'Fills in a prompt of a server, and returns its messages.',
      input: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'the name of the prompt' },
          arguments: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['name'],
        additionalProperties: false,
      },
      async work(args, ask) {
        const name = textOfArgument(args, 'name');
        // The schema allows only strings.
        const given = (args['arguments'] ?? {}) as Readonly<Record<string, string>>;
        const { messages } = await ask('The prompt', (client, options, answers) =>
          client.getPrompt({ name, arguments: given, ...answers }, options),
        );
        return messages.flatMap(({ role, content }) =>
          partsOf(content).toSpliced(0, 0, textPart(`${role}:`)),
        );
      },
    }),
  ];
}
