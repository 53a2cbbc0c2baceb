import type { Tool } from '@shallot/core';

import type { Callee } from './call-tool.ts';
import { lines, noArguments, readTool, textOfArgument } from './read-tool.ts';
import { resourceParts } from './to-result.ts';

/** Returns the tools with which a model lists and reads the server's resources. */
export function resourceTools(callee: Callee): readonly Tool[] {
  return [
    readTool(callee, 'list_resources', {
      description: 'Lists the resources of a server, and the templates of their URIs.',
      input: noArguments,
      async work(_, ask) {
        const doing = 'The list of its resources';
        const { resources } = await ask(doing, (client, options) => client.listResources(undefined, options));
        const { resourceTemplates } = await ask(doing, (client, options) =>
          client.listResourceTemplates(undefined, options),
        );
        return lines([
          ...resources.map((each) => [each.uri, each.name, each.mimeType, each.description]),
          ...resourceTemplates.map((each) => [each.uriTemplate, each.name, each.mimeType, each.description]),
        ]);
      },
    }),
    readTool(callee, 'read_resource', {
      description: 'Reads a resource of a server by its URI.',
      input: {
        type: 'object',
        properties: { uri: { type: 'string', description: 'the URI of the resource' } },
        required: ['uri'],
        additionalProperties: false,
      },
      async work(args, ask) {
        const uri = textOfArgument(args, 'uri');
        const { contents } = await ask('The reading of the resource', (client, options, answers) =>
          client.readResource({ uri, ...answers }, options),
        );
        return contents.flatMap(resourceParts);
      },
    }),
  ];
}
