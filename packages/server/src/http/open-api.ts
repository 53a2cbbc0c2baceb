import type { Shape } from '@shallot/core/plugin';

import type { Route } from './route.ts';

/** The problems that any route may have. */
const everywhere: Readonly<Record<number, string>> = {
  400: 'server/REQUEST_INVALID',
  401: 'server/UNAUTHENTICATED',
  403: 'server/FORBIDDEN, server/ORIGIN_REFUSED',
  404: 'SESSION_NOT_FOUND, server/NOT_FOUND',
  429: 'server/TOO_MANY',
  500: 'INTERNAL',
  503: 'STORE_FAILED, server/DRAINING',
};

/** Returns the OpenAPI 3.1 document of a table of routes. */
export function openApiOf(routes: Readonly<Record<string, Route>>): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operationOf(name, route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Shallot', version: '1' },
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: problemSchema },
    },
  };
}

function operationOf(name: string, route: Route): object {
  const { answer, body, events, problems = [] } = route;
  const json = answer.shape && { 'application/json': { schema: objectSchema(answer.shape) } };
  const streamed = events === undefined ? undefined : { 'text/event-stream': { schema: { type: 'string' } } };
  return {
    operationId: name,
    summary: route.about,
    ...(route.right === 'none' ? {} : { security: [{ bearer: [] }] }),
    parameters: parametersOf(route),
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: objectSchema(body) } } },
    }),
    responses: {
      [answer.status]: {
        description: answer.about,
        ...((json ?? streamed) && { content: { ...json, ...streamed } }),
      },
      default: {
        description: `A problem. Its code is one of ${[...Object.values(everywhere), ...problems].join(', ')}.`,
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function parametersOf({ path, query = {}, headers = {} }: Route): object[] {
  return [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(query).map(([name, { json = {}, presence }]) => ({
      name,
      in: 'query',
      required: presence === 'required',
      schema: json,
    })),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ];
}

function objectSchema(shape: Shape): object {
  const entries = Object.entries(shape);
  const required = entries.flatMap(([name, { presence }]) => (presence === 'required' ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { json = {} }]) => [name, json])),
    ...(required.length === 0 ? {} : { required }),
  };
}

const problemSchema = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', description: 'A permanent code of Shallot.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
};
