/** The names of an agent, from its options. */
export interface AgentIdentity {
  readonly name: string;
  readonly id?: string | undefined;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
}
