import type { Shape, ShapeInput, ShapeOutput } from '@shallot/core/plugin';
import type { Routes } from '@shallot/server';

type NameOf<Key extends keyof Routes> = `${Routes[Key]['method']} ${Routes[Key]['path']}`;

/** A request of the server's table of routes whose answer is JSON, or nothing, such as `GET /sessions/{id}`. */
export type RequestName = {
  [Key in keyof Routes]: Routes[Key] extends {
    readonly answer: { readonly shape: Shape } | { readonly status: 204 };
  }
    ? NameOf<Key>
    : never;
}[keyof Routes];

/** The row of a request in the table. */
type RowOf<Name extends RequestName> = {
  [Key in keyof Routes]: NameOf<Key> extends Name ? Routes[Key] : never;
}[keyof Routes];

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The parts of a request that its row of the table names. */
export type CallInput<Name extends RequestName> = ParamsOf<RowOf<Name>['path']> &
  QueryOf<RowOf<Name>> &
  BodyOf<RowOf<Name>> & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  };

type ParamsOf<Path extends string> = [NamesIn<Path>] extends [never]
  ? unknown
  : { readonly params: Readonly<Record<NamesIn<Path>, string>> };
type QueryOf<R> = R extends { readonly query: infer S extends Shape }
  ? { readonly query?: ShapeInput<S> }
  : unknown;
type BodyOf<R> = R extends { readonly body: infer S extends Shape }
  ? { readonly body: ShapeInput<S> }
  : unknown;

/** The answer of a request. */
export type Answer<Name extends RequestName> =
  RowOf<Name> extends { readonly answer: { readonly shape: infer S extends Shape } }
    ? ShapeOutput<S>
    : undefined;
