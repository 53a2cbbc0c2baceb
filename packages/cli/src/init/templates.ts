/** A plugin that a template lists. */
export interface TemplatePlugin {
  /** Its short name. */
  readonly use: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** A comment above it in YAML. */
  readonly about?: string;
}

/** A first agent: all parts of a config except the model. */
export interface Template {
  readonly label: string;
  readonly hint: string;
  readonly instructions: string;
  readonly plugins: readonly TemplatePlugin[];
  /** An input that shows what the agent can do with the offline model, too. */
  readonly example: string;
}

const filesystem: TemplatePlugin = {
  use: 'filesystem',
  about: 'ls, glob, grep and read_file, and write_file, edit_file and delete_file below this folder',
};
const summarization: TemplatePlugin = {
  use: 'summarization',
  about: "Replaces old messages by a summary before they outgrow the model's context",
};
const resilience: TemplatePlugin = {
  use: 'resilience',
  about: 'Repeats requests that fail for a while',
};
const changes = { write_file: true, edit_file: true, delete_file: true } as const;

/** The templates of `shallot init`, by name. Each starts as it is, with the offline model and with any provider. */
export const templates = {
  chat: {
    label: 'A chat',
    hint: 'no tools; long conversations are summarized',
    instructions: 'You are a helpful assistant. Answer briefly, and say when you do not know.',
    plugins: [summarization, resilience],
    example: 'Good morning',
  },
  files: {
    label: 'The files of this folder',
    hint: 'reads freely, asks before it changes anything',
    instructions: 'You help with the files in this folder. Read before you write, and say what you changed.',
    plugins: [
      filesystem,
      { use: 'hitl', options: { tools: changes }, about: 'Asks a person before these tools run' },
      summarization,
      resilience,
    ],
    example: 'call ls {"path":"/"}',
  },
  repository: {
    label: 'A code repository',
    hint: 'files, shell commands with rules, memory, skills, a limit',
    instructions:
      'You help with the code in this folder. Read before you change, make small changes, and say which commands you ran.',
    plugins: [
      filesystem,
      {
        use: 'shell',
        options: { allow: ['ls *', 'wc *'], deny: ['sudo'] },
        about: 'Commands; what `allow` matches is not asked about',
      },
      {
        use: 'hitl',
        options: { preApprovals: ['shell'], tools: { ...changes, edit_memory: true, shell: true } },
        about: 'Asks a person before these tools run',
      },
      { use: 'ask-user', about: 'The agent may ask questions' },
      {
        use: 'memory',
        options: { writable: true },
        about: 'AGENTS.md goes with every request, and can be edited',
      },
      { use: 'skills', about: 'Instructions for tasks, in skills/NAME/SKILL.md' },
      summarization,
      { use: 'limits', options: { tokens: { run: 1_000_000 } }, about: 'Ends a run that uses too much' },
      resilience,
    ],
    example: 'call grep {"pattern":"TODO"}',
  },
  support: {
    label: 'Support, with approvals',
    hint: 'asks people, hides personal data, every tool is approved',
    instructions:
      'You answer customers. Ask when something is unclear. Never promise what you cannot look up.',
    plugins: [
      { use: 'ask-user', about: 'The agent may ask questions' },
      {
        use: 'hitl',
        options: { tools: { '*': true, ask_user: false } },
        about: 'Asks a person before every tool, those that come later included',
      },
      { use: 'redaction', about: 'Keeps personal data and keys from the model and from what is stored' },
      { use: 'limits', options: { tokens: { run: 200_000 } }, about: 'Ends a run that uses too much' },
      summarization,
      resilience,
    ],
    example: 'call ask_user {"questions":[{"question":"Which order is it about?"}]}',
  },
  empty: {
    label: 'Nothing yet',
    hint: 'a model and instructions; add plugins one by one',
    instructions: 'You are a helpful assistant.',
    plugins: [],
    example: 'Good morning',
  },
} as const satisfies Readonly<Record<string, Template>>;

export type TemplateName = keyof typeof templates;

/** Returns whether a text names a template. */
export function isTemplateName(text: string): text is TemplateName {
  return Object.hasOwn(templates, text);
}
