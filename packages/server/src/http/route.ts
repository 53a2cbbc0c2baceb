import type { Shape, ShapeOutput } from '@shallot/core/plugin';

import type { Identity, Right } from '../access/identity.ts';

/** A row of the table of routes. Requests are checked against it, and the description of the API is made from it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path, with parameters as `{name}`. */
  readonly path: string;
  readonly about: string;
  /** The right that a request needs; `none` for routes that everybody may use. */
  readonly right: Right | 'none';
  readonly query?: Shape;
  readonly body?: Shape;
  /** The request headers that the route reads, with their meanings. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer as JSON. `events` describes the answer as server-sent events. */
  readonly answer: { readonly status: number; readonly about: string; readonly shape?: Shape };
  readonly events?: string;
  /** The codes of problems, in addition to those of all routes. */
  readonly problems?: readonly string[];
}

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

/** A request that was checked against its route. Only the route knows the types of its parts. */
export interface CheckedCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly identity: Identity;
  readonly request: Request;
}

/** A request as its handler gets it. */
export interface Call<R extends Route> extends CheckedCall {
  readonly params: Readonly<Record<Names<R['path']>, string>>;
  readonly query: R extends { readonly query: infer S extends Shape } ? ShapeOutput<S> : undefined;
  readonly body: R extends { readonly body: infer S extends Shape } ? ShapeOutput<S> : undefined;
}

/** The answer of a handler: JSON with the route's status, or a whole response. */
export type Answer = object | Response;

/** The handlers of a table of routes, by name. */
export type Handlers<Routes extends Readonly<Record<string, Route>>> = {
  readonly [Name in keyof Routes]: (call: Call<Routes[Name]>) => Answer | Promise<Answer>;
};
