import { ShallotError, type JsonSchema } from '@shallot/core';

import type { Call } from '../http/route.ts';
import type { Routes } from '../http/routes.ts';
import type { ClientTool } from '../work/client-tools.ts';

/**
 * Reads the tools that a page executes.
 * @throws `server/REQUEST_INVALID` for a tool without a name
 */
export function pageTools(tools: Call<Routes['runAgUi']>['body']['tools'] = []): readonly ClientTool[] {
  return tools.map(({ name, description, parameters }) => {
    if (typeof name !== 'string')
      throw new ShallotError('server/REQUEST_INVALID', {
        message: 'A tool of the input has no name. Send its name, description and parameters.',
      });
    const isSchema = typeof parameters === 'object' && parameters !== null;
    return {
      name,
      description: typeof description === 'string' && description !== '' ? description : name,
      // The type is safe: a body is JSON, and the schema is checked when it is compiled.
      input: isSchema ? (parameters as JsonSchema) : { type: 'object', properties: {} },
    };
  });
}
