export type { Answer, CallInput, RequestName } from './call-input.ts';
export { ClientError } from './client-error.ts';
export { createClient, type Client, type RunInput, type RunOptions } from './create-client.ts';
export type { ClientOptions } from './requester.ts';
export type { RunEnd, RunState } from './run-fold.ts';
export type { RunStream } from './run-stream.ts';
