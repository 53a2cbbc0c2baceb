/**
 * What each code means: the table behind `docs/reference/errors.md`. Codes are permanent. A plugin's own codes are
 * prefixed with its name: `audit/NO_DISK`.
 */
export const errorCodes = {
  // Setting up
  OPTION_INVALID: 'An option of createAgent, run or use has an invalid value or an unknown name.',
  PLUGIN_EXPECTED: 'Something in the plugins list was not made by definePlugin.',
  PLUGIN_INVALID: 'A plugin definition is invalid: its name, version, range or priority, for example.',
  PLUGIN_INCOMPATIBLE: 'The plugin API range of a plugin does not include this version.',
  PLUGIN_REQUIRES: 'A plugin required by another one is missing, or its version is outside the range.',
  PLUGIN_CONFLICT: 'Two plugins that conflict are both configured.',
  PLUGIN_DUPLICATE: 'Two plugins have the same id: one plugin is listed twice without separate ids.',
  PLUGIN_PEER: 'A peer dependency of a plugin is missing, or its version is outside the range.',
  PLUGIN_UNLISTED: 'A plugin in use is not listed in any package.json above its config.',
  RESTART_NEEDED: 'Something has changed that only a new process takes up.',
  CORE_DUPLICATE: 'A plugin brings its own copy of the core.',
  PLUGIN_OPTIONS: "A plugin's options do not match its schema.",
  PLUGIN_SETUP_FAILED: "A plugin's setup threw, or tapped a hook in an invalid way.",
  PLUGIN_START_FAILED: "A plugin's onStart or onReady threw.",
  PLUGIN_STOP_FAILED: "A plugin's onStop threw; all others were stopped.",
  PRIORITY_RANGE: 'A priority is not a finite number from 0 to 100.',
  ORDER_CYCLE: 'The `outside` and `inside` edges of some plugins contradict each other.',
  ORDER_TARGET: 'An `outside` or `inside` in a config does not name a plugin of the agent.',
  TOOL_INVALID: 'A tool definition is invalid.',
  TOOL_DUPLICATE: 'Two sources provide a tool with the same name.',
  SERVICE_DUPLICATE: 'Two plugins provide the same service.',
  SETUP_FAILED: 'The set-up has several errors; they are listed in `errors`.',
  NODE_UNSUPPORTED: 'This version of Node is too old.',
  AGENT_CLOSED: 'The agent was closed.',
  CLOSE_FAILED: 'Closing the agent caused several errors; they are listed in `errors`.',
  CLOSE_TIMEOUT: 'The agent was not closed in time; the message names what is still running.',
  PRICES_MISSING: '@pydantic/genai-prices, which options ask for, is not installed.',

  // Config files
  CONFIG_NOT_FOUND: 'No config file was found.',
  CONFIG_FOREIGN: 'The search found a config file that belongs to another user.',
  CONFIG_AMBIGUOUS: 'A directory holds more than one config file.',
  CONFIG_SYNTAX: 'A config file cannot be parsed.',
  CONFIG_FAILED: 'The code of a config file threw.',
  CONFIG_INVALID: 'A config file has an invalid value or an unknown key.',
  CONFIG_ENV: 'An environment variable used in a config file is not set.',
  CONFIG_CYCLE: 'Config files extend each other in a cycle.',
  CONFIG_UNUSED: 'A value in a config has no effect.',
  MODULE_NOT_FOUND: 'A plugin, model, tool or file named in a config file was not found.',
  MODULE_AMBIGUOUS: 'A name in a config file matches more than one package.',
  MODULE_FAILED: 'A module named in a config file threw during import, or was not ready in time.',
  MODULE_INVALID: 'A module named in a config file does not have the required export.',
  ESBUILD_MISSING: 'A TypeScript file that Node cannot run needs esbuild, which is not installed.',

  // Packages
  PACKAGE_NAME: 'A name given to add, remove or upgrade cannot be used.',
  PACKAGE_NOT_FOUND: 'The registry, or the project, has no such package.',
  PACKAGE_UNFIT: 'No version of a package works with the installed core.',
  REGISTRY_FAILED: 'The registry could not be asked, or its answer could not be read.',
  INSTALL_FAILED: 'The package manager failed; the project was left as it was.',
  CHANGE_FAILED: 'A change of a project failed; the project was left as it was.',
  CHANGE_UNFINISHED: 'An earlier change of the project was cut off, or is still under way.',

  // Running
  RUN_ABORTED: 'The run was aborted.',
  RUN_ENDED: 'A method of a run was called after the run had ended.',
  PLUGIN_FAILED: 'A hook of a plugin threw.',
  HOOK_TIMEOUT: 'A before or after hook did not settle in time.',
  HOOK_RESULT: 'A hook returned an invalid value.',
  HOOK_INTERCEPTOR: 'An interceptor of a hook threw.',
  NEXT_LATE: '`next` was called after its layer had settled.',
  LAYER_CLOSED: 'A layer continued after an outer layer had abandoned it.',
  LIMIT_REACHED: 'A call was beyond a limit that a plugin keeps.',
  TOOL_RESULT: 'A tool returned a result with an unknown member.',
  TOOL_FAILED: 'A tool threw, and `toolErrors` of the agent is `throw`.',
  MODEL_FAILED: 'The model failed with an unclassified error.',
  MODEL_RATE_LIMITED: 'The rate limit of the provider was reached; `retryAt` may say when to try again.',
  MODEL_OVERLOADED: 'The provider is overloaded or returned a server error (5xx).',
  MODEL_CONTEXT_OVERFLOW: "The request is larger than the model's context.",
  MODEL_AUTH: 'The key is missing, or the provider rejected it.',
  MODEL_BAD_REQUEST: 'The provider rejected the request as invalid.',
  MODEL_STREAM_BROKEN: 'The answer broke off before its end.',
  MODEL_IDLE: 'The model was silent for too long.',
  MODEL_NETWORK: 'The provider could not be reached.',
  MODEL_CONTENT_FILTERED: 'The provider withheld the answer.',
  MODEL_EMPTY: 'The model returned an empty answer, also when asked again.',
  MODEL_RESPONSE: 'The model returned something that is not a response.',
  OUTPUT_INVALID: 'The answer did not match the output schema, also after a correction was requested.',
  MESSAGE_INVALID: 'A message is invalid.',
  VALUE_NOT_JSON: 'A value to be stored in a session is not valid JSON.',

  UNCAUGHT: 'Code outside any run threw: a promise that was not awaited, a timer, an event listener.',
  INTERNAL: 'The core failed: a bug that should be reported.',

  // Sessions
  SESSION_BUSY: 'Another run of the same agent is using the session.',
  SESSION_INTERRUPTED: 'The session waits for answers.',
  SESSION_UNFINISHED: "The session's last run died before its end.",
  SESSION_NOT_FOUND: 'There is no such session.',
  SESSION_NOT_RESUMABLE: "The session's last run has ended.",
  RUN_STUCK: 'Several workers resumed a run without bringing it further.',
  STORE_CONFLICT: 'Another process is working on the session, or has changed it.',
  STORE_FAILED: 'The store failed to read or write.',
  STORE_SLOW: 'The store works, but slower than it could.',
  STORE_DAMAGED: 'The contents of the store cannot be read.',
  STORE_FORMAT: 'A record was written by a newer version.',
  STATE_VERSION: "A plugin's state has a version that the plugin cannot migrate.",
  PLUGIN_GONE: 'A plugin that owns a pending interrupt, or state of an unfinished run, is missing.',
  TOOL_GONE: 'A tool needed by an open call is no longer registered.',
  INTERRUPT_UNKNOWN: 'An answer names an interrupt that is not pending.',
  INTERRUPT_ANSWER: 'An answer does not match the schema of its interrupt.',
  INTERRUPT_NOT_ALLOWED: 'A hook that cannot be interrupted requested an interrupt.',

  // Files
  FILE_NOT_FOUND: 'There is no such file.',
  FILE_PATH: 'A path leaves the root, or is invalid.',
  FILE_KIND: 'A path does not lead to a regular file.',
  FILE_TOO_LARGE: 'A file is larger than the limit.',
  FILE_CONFLICT: 'A file has changed since it was read.',
  FILE_FAILED: 'The file system refused an operation.',

  // Network
  ADDRESS_REFUSED: 'A host is not on the public internet, and the options do not allow its address.',

  // Testing
  TEST_MODEL_UNEXPECTED: 'A scripted model was called more often than its script has steps.',
  TEST_MODEL_UNCONSUMED: "A scripted model's script has unused steps.",
} as const satisfies Record<string, string>;

/** A code of the core, or a plugin's own: `plugin/CODE`. */
export type ErrorCode = keyof typeof errorCodes | `${string}/${string}`;
