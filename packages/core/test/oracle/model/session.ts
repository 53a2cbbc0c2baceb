/** A message as far as it is compared: without ids. */
export type PlainMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly PlainCall[] }
  | { readonly role: 'tool'; readonly name: string; readonly text: string; readonly isError: boolean };

export interface PlainCall {
  readonly name: string;
  readonly input: CallInput;
}

/** The input of a call says which call it is. */
export interface CallInput {
  readonly run: number;
  readonly step: number;
  readonly call: number;
  readonly asked: number;
}

/** The outcome of a run. */
export interface Decision {
  readonly stopReason: string;
  readonly text: string;
  readonly usage: { readonly modelCalls: number; readonly tokens: number };
  readonly steps: number;
}

/** All that is compared. */
export interface Outcome {
  readonly messages: readonly PlainMessage[];
  /** Plugin → its count; a count of a run is that of the last one. */
  readonly counts: Readonly<Record<string, number>>;
  /** The outcome of each completed run. */
  readonly decisions: readonly Decision[];
  /** The executions of tools, sorted. */
  readonly effects: readonly string[];
  /** The questions that a completed run has needed, sorted. */
  readonly questions: readonly string[];
}

/** The way in which a plugin ended a run. */
export interface Ending {
  readonly text: string;
  readonly stopReason: 'ended' | 'limit';
}

/** A session of the oracle while its runs take place: nothing happens to it but what the world says. */
export class OracleSession {
  messages: PlainMessage[] = [];
  readonly counts = new Map<string, number>();
  readonly effects: string[] = [];
  readonly questions: string[] = [];
  readonly decisions: Decision[] = [];
  /** The first call of `end` in the current run. */
  ending: Ending | undefined;

  end(text: string, what: 'end' | 'limit'): void {
    this.ending ??= { text, stopReason: what === 'limit' ? 'limit' : 'ended' };
  }

  count(plugin: string): void {
    this.counts.set(plugin, (this.counts.get(plugin) ?? 0) + 1);
  }

  /** The question and its answer; nobody is asked about what `end` has made pointless. */
  ask(question: string): 'answered' | 'pointless' {
    if (this.ending !== undefined) return 'pointless';
    this.questions.push(question);
    return 'answered';
  }

  outcome(): Outcome {
    return {
      messages: this.messages,
      counts: Object.fromEntries(this.counts),
      decisions: this.decisions,
      effects: this.effects.toSorted(),
      questions: this.questions.toSorted(),
    };
  }
}

export function note(text: string): PlainMessage {
  return { role: 'user', text };
}

/** Returns whether a plugin appended a message. */
export function isNote(message: PlainMessage): boolean {
  return message.role === 'user' && message.text.startsWith('note ');
}

/** The text of what an act appends. */
export function noteText(id: string): string {
  return `note ${id};`;
}

/** The text of an answer that an act gives in the place of another one. */
export function sayText(id: string): string {
  return `says ${id};`;
}
