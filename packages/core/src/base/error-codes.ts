/**
 * What each code means: the table behind `docs/reference/errors.md`. Codes are permanent. A plugin's own codes are
 * prefixed with its name: `audit/NO_DISK`.
 */
export const errorCodes = {
  // Setting up
  OPTION_INVALID: 'An option of createAgent, run or use has a wrong value or an unknown name.',
  PLUGIN_EXPECTED: 'Something in the plugins list was not made by definePlugin.',
  PLUGIN_INVALID: 'A plugin definition is malformed: a wrong name, version, range or priority.',
  PLUGIN_INCOMPATIBLE: 'The range of the plugin API that a plugin asks for does not hold this version.',
  PLUGIN_REQUIRES: 'A plugin that another one requires is missing or has a version outside the range.',
  PLUGIN_CONFLICT: 'Two plugins that exclude each other are both configured.',
  PLUGIN_DUPLICATE: 'Two plugins have one id: one plugin was listed twice without ids of its own.',
  PLUGIN_PEER: 'A package that a plugin asks for as a peer is missing, or has a version outside the range.',
  PLUGIN_UNLISTED: 'A plugin is used that no package.json above its config lists.',
  PLUGIN_OPTIONS: "A plugin's options do not fit its schema.",
  PLUGIN_SETUP_FAILED: "A plugin's setup threw, or tapped a hook in a way that cannot work.",
  PLUGIN_START_FAILED: "A plugin's onStart or onReady threw.",
  PLUGIN_STOP_FAILED: "A plugin's onStop threw; everything else was stopped.",
  PRIORITY_RANGE: 'A priority is not a finite number from 0 to 100.',
  ORDER_CYCLE: 'The before and after of some plugins contradict each other.',
  ORDER_TARGET: 'A before or after in a config names no plugin of the agent.',
  TOOL_INVALID: 'A tool definition is malformed.',
  TOOL_DUPLICATE: 'Two sources bring a tool of one name.',
  SERVICE_DUPLICATE: 'Two plugins provide one service.',
  SETUP_FAILED: 'Several things are wrong with a set-up; the errors are listed in `errors`.',
  NODE_UNSUPPORTED: 'This version of Node is older than those that are supported.',
  AGENT_CLOSED: 'The agent was closed.',
  CLOSE_FAILED: 'Several things went wrong while the agent was closed; `errors` has them.',
  CLOSE_TIMEOUT: 'The agent was not closed in time; what has not ended is named.',
  PRICES_MISSING: '@pydantic/genai-prices, which options ask for, is not installed.',

  // Config files
  CONFIG_NOT_FOUND: 'No config file was found.',
  CONFIG_FOREIGN: 'A config file that a search came upon belongs to somebody else.',
  CONFIG_AMBIGUOUS: 'A directory holds more than one config file.',
  CONFIG_SYNTAX: 'A config file cannot be parsed.',
  CONFIG_FAILED: "A config file's own code threw.",
  CONFIG_INVALID: 'A config file has a wrong value or an unknown key.',
  CONFIG_ENV: 'An environment variable that a config file asks for is not set.',
  CONFIG_CYCLE: 'Config files extend each other in a circle.',
  MODULE_NOT_FOUND: 'A plugin, model, tool or file that a config file names was not found.',
  MODULE_AMBIGUOUS: 'A name in a config file fits more than one package.',
  MODULE_FAILED: 'A module that a config file names threw when it was imported, or was not ready in time.',
  MODULE_INVALID: 'A module that a config file names does not export what is needed.',
  ESBUILD_MISSING: 'A TypeScript file that Node refuses cannot be compiled because esbuild is not installed.',

  // Running
  RUN_ABORTED: 'The run was aborted.',
  RUN_ENDED: 'Something was asked of a run that has ended.',
  PLUGIN_FAILED: 'A hook of a plugin threw.',
  HOOK_TIMEOUT: 'A before or after hook did not settle in time.',
  HOOK_RESULT: 'A hook returned something that it must not return.',
  HOOK_INTERCEPTOR: 'An interceptor of a hook threw.',
  NEXT_LATE: '`next` was called after its layer had settled.',
  LAYER_CLOSED: 'A layer was abandoned by one outside it, and went on.',
  LIMIT_REACHED: 'A call was beyond a limit that a plugin keeps.',
  TOOL_RESULT: 'A tool returned a result with a member that results do not have.',
  TOOL_FAILED: "A tool threw, and the agent's setting is to end the run then.",
  MODEL_FAILED: 'The model threw an error that says nothing more.',
  MODEL_RATE_LIMITED:
    'The provider refused the call because too many were made; `retryAt` may say when to come back.',
  MODEL_OVERLOADED: 'The provider is overloaded or failed on its side (5xx).',
  MODEL_CONTEXT_OVERFLOW: "The request is larger than the model's context.",
  MODEL_AUTH: 'The provider refused the key, or there is none.',
  MODEL_BAD_REQUEST: 'The provider refused the request as malformed.',
  MODEL_STREAM_BROKEN: 'The answer broke off before its end.',
  MODEL_IDLE: 'The model was silent for too long.',
  MODEL_NETWORK: 'The provider could not be reached.',
  MODEL_CONTENT_FILTERED: 'The provider withheld the answer.',
  MODEL_EMPTY: 'The model gave an empty answer, also after it was told so.',
  MODEL_RESPONSE: 'The model returned something that is not a response.',
  OUTPUT_INVALID: 'The answer did not have the shape that was asked for, also after the model was told so.',
  MESSAGE_INVALID: 'A message is malformed.',
  VALUE_NOT_JSON: 'A value that is kept in a session cannot be held by JSON.',

  UNCAUGHT: 'Code that nobody waits for threw: a promise that was forgotten, a timer, an event listener.',
  INTERNAL: 'The core itself failed: a bug that should be reported.',

  // Sessions
  SESSION_BUSY: 'Another run of the same agent uses the session.',
  SESSION_INTERRUPTED: 'The session waits for answers.',
  SESSION_UNFINISHED: "The session's last run died before its end.",
  SESSION_NOT_FOUND: 'There is no such session.',
  SESSION_NOT_RESUMABLE: "The session's last run has ended.",
  STORE_CONFLICT: 'Somebody else holds or has changed the session.',
  STORE_FAILED: 'The store could not read or write.',
  STORE_DAMAGED: 'What the store holds cannot be read.',
  STORE_FORMAT: 'A record was written by a newer version.',
  STATE_VERSION: "A plugin's state has a version that the plugin cannot migrate.",
  PLUGIN_GONE: 'A plugin that owns a pending interrupt or state of an unfinished run is not there.',
  TOOL_GONE: 'A tool that an open call needs is not registered any more.',
  INTERRUPT_UNKNOWN: 'An answer names an interrupt that is not pending.',
  INTERRUPT_ANSWER: 'An answer does not fit the schema of its interrupt.',
  INTERRUPT_NOT_ALLOWED: 'A hook that cannot be interrupted asked for it.',

  // Files
  FILE_NOT_FOUND: 'There is no such file.',
  FILE_PATH: 'A path leaves the root, or is malformed.',
  FILE_KIND: 'A path names something that is not a regular file.',
  FILE_TOO_LARGE: 'A file is larger than the limit.',
  FILE_CONFLICT: 'A file has changed since it was read.',
  FILE_FAILED: 'The file system refused an operation.',

  // Testing
  TEST_MODEL_UNEXPECTED: 'A scripted model was called more often than its script says.',
  TEST_MODEL_UNCONSUMED: "A scripted model's script has steps that were never asked for.",
} as const satisfies Record<string, string>;

/** A code of the core, or a plugin's own: `plugin/CODE`. */
export type ErrorCode = keyof typeof errorCodes | `${string}/${string}`;
