// PostToolUse: replaces a result.
console.log(
  JSON.stringify({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'It was much.' } }),
);
