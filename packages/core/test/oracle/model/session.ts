/** A message with the parts that are compared, so without ids. */
export type PlainMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly PlainCall[] }
  | { readonly role: 'tool'; readonly name: string; readonly text: string; readonly isError: boolean };

export interface PlainCall {
  readonly name: string;
  readonly input: CallInput;
}

/** The arguments of a call identify the call. */
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

/** Everything that is compared. */
export interface Outcome {
  readonly messages: readonly PlainMessage[];
  /** The count of each plugin; one with the scope of a run is that of the last run. */
  readonly counts: Readonly<Record<string, number>>;
  /** The outcome of each completed run. */
  readonly decisions: readonly Decision[];
  /** The effects of all tool executions, sorted. */
  readonly effects: readonly string[];
  /** The questions that the completed runs have asked, sorted. */
  readonly questions: readonly string[];
}

/** The way in which a plugin ended a run. */
export interface Ending {
  readonly text: string;
  readonly stopReason: 'ended' | 'limit';
}

/** The session that the oracle predicts from its world alone, without any disturbance. */
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

  /** Asks a question, which is answered at once. After `end` it is pointless, so nobody is asked. */
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

/** Returns true for a message that a plugin appended. */
export function isNote(message: PlainMessage): boolean {
  return message.role === 'user' && message.text.startsWith('note ');
}

/** Returns the text that an act appends. */
export function noteText(id: string): string {
  return `note ${id};`;
}

/** Returns the text with which an act replaces an answer or a result. */
export function sayText(id: string): string {
  return `says ${id};`;
}
