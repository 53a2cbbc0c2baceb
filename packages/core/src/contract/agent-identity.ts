/** What an agent is called, as its options say. */
export interface AgentIdentity {
  readonly name: string;
  readonly id?: string | undefined;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
}
