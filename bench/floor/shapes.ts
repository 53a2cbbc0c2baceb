/** The simplest types that a run needs. Their fields are those of Shallot, so that the same amount of data is moved. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly input: { readonly n: number };
    };

export type Message =
  | { readonly role: 'user'; readonly id: string; readonly content: readonly Part[] }
  | { readonly role: 'assistant'; readonly id: string; readonly content: readonly Part[] }
  | {
      readonly role: 'tool';
      readonly id: string;
      readonly callId: string;
      readonly content: readonly Part[];
    };

export interface Request {
  readonly instructions: string;
  readonly messages: readonly Message[];
  readonly tools: readonly string[];
}

export interface Response {
  readonly message: Message;
  readonly usage: { readonly input: number; readonly output: number };
  readonly finish: 'stop' | 'tool-calls';
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: { readonly n: number };
}

export interface Result {
  readonly content: readonly Part[];
  readonly isError?: boolean;
}

export interface Chunk {
  readonly type: 'text';
  readonly index: number;
  readonly text: string;
}

export type Emit = (chunk: Chunk) => void;
export type ModelCall = (request: Request, emit?: Emit) => Promise<Response>;
export type ToolRun = (call: Call) => Promise<Result>;

/** The four functions of one plugin. */
export interface Layer {
  beforeModel(request: Request): Promise<Request | undefined>;
  afterModel(response: Response): Promise<Response | undefined>;
  wrapModelCall(request: Request, next: ModelCall, emit?: Emit): Promise<Response>;
  wrapToolCall(call: Call, next: ToolRun): Promise<Result>;
}
