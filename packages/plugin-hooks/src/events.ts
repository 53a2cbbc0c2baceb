/** The events of the format that hooks can be called for. */
export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'Stop',
  'SessionStart',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
] as const;

/** An event that hooks can be called for. */
export type HookEvent = (typeof hookEvents)[number];

/** Events whose calls are about a tool. */
export const toolEvents: ReadonlySet<HookEvent> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
]);

/** Events of the format that hooks cannot be called for, each with an alternative. */
export const placelessEvents: Readonly<Record<string, string>> = {
  Notification: 'follow the events of the stream',
  PermissionRequest: 'answer questions by `shallot answer`, or from a program',
  PermissionDenied: 'follow the events of the stream',
  PostCompact: 'follow the events of the stream',
  SessionEnd: 'a session has no end; use Stop for the end of an answer',
  StopFailure: 'follow the event run-end of the stream',
  TaskCompleted: 'use SubagentStop',
  TaskCreated: 'use SubagentStart',
  TeammateIdle: 'there are no teams',
  InstructionsLoaded: 'use SessionStart',
  ConfigChange: 'the config does not change while the agent runs',
  CwdChanged: 'the directory does not change while the agent runs',
  FileChanged: 'use PostToolUse with a match such as edit',
  Setup: 'use SessionStart',
  WorktreeCreate: 'there are no worktrees',
  WorktreeRemove: 'there are no worktrees',
  Elicitation: 'answer questions by `shallot answer`, or from a program',
  ElicitationResult: 'answer questions by `shallot answer`, or from a program',
};
