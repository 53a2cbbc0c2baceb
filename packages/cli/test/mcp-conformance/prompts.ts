import {
  fromJsonSchema,
  inputRequired,
  inputResponse,
  ResourceTemplate,
  type McpServer,
  type PromptMessage,
} from '@modelcontextprotocol/server';
import { definePlugin } from '@shallot/core';
import { mcpServerKey } from '@shallot/mcp-server';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** Provides the prompts and resources that the conformance scenarios expect. */
// oxlint-disable-next-line import/no-default-export -- a config takes the plugin of a module
export default definePlugin({
  name: 'prompts',
  setup: ({ provide }) => provide(mcpServerKey, addParts),
});

function addParts(server: McpServer): void {
  addPrompts(server);
  addResources(server);
}

function said(content: PromptMessage['content']): { messages: PromptMessage[] } {
  return { messages: [{ role: 'user', content }] };
}

function strings<const Name extends string>(...names: readonly Name[]) {
  return fromJsonSchema<Record<Name, string>>({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: [...names],
  });
}

function addPrompts(server: McpServer): void {
  const about = (description: string) => ({ description });
  server.registerPrompt('test_simple_prompt', about('Says one thing.'), () =>
    said({ type: 'text', text: 'This is a simple prompt for testing.' }),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { ...about('Says its arguments.'), argsSchema: strings('arg1', 'arg2') },
    ({ arg1, arg2 }) => said({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { ...about('Shows a resource.'), argsSchema: strings('resourceUri') },
    ({ resourceUri: uri }) =>
      said({
        type: 'resource',
        resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      }),
  );
  server.registerPrompt('test_prompt_with_image', about('Shows an image.'), () =>
    said({ type: 'image', data: png, mimeType: 'image/png' }),
  );
  server.registerPrompt('test_input_required_result_prompt', about('Asks first.'), ({ mcpReq }) => {
    const reply = inputResponse(mcpReq.inputResponses, 'user_context');
    if (reply.kind === 'elicit') return said({ type: 'text', text: JSON.stringify(reply.content ?? {}) });
    return inputRequired({
      inputRequests: {
        user_context: inputRequired.elicit({
          mode: 'form',
          message: 'What context should the prompt use?',
          requestedSchema: {
            type: 'object',
            properties: { context: { type: 'string' } },
            required: ['context'],
          },
        }),
      },
    });
  });
}

function addResources(server: McpServer): void {
  server.registerResource(
    'static-text',
    'test://static-text',
    { description: 'A text.', mimeType: 'text/plain' },
    ({ href: uri }) => ({
      contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }),
  );
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'An image.', mimeType: 'image/png' },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: 'image/png', blob: png }] }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined, complete: { id: () => ['123'] } }),
    { description: 'A template.', mimeType: 'application/json' },
    ({ href: uri }, { id }) => ({
      contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }],
    }),
  );
}
