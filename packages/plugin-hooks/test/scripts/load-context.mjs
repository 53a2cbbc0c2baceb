// SessionStart: adds context, as JSON.
console.log(
  JSON.stringify({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Write in British English.' },
  }),
);
