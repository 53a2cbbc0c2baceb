import type { ModelErrorCode } from '@shallot/core/model';

import type { ErrorFacts } from './error-facts.ts';

/** A row of the error table. All given conditions must match. */
export interface ErrorRow {
  readonly code: ModelErrorCode;
  /** Matches the HTTP status; 0 if there is none. */
  readonly status?: (status: number) => boolean;
  /** Matches one of the names, types and codes. */
  readonly kind?: RegExp;
  readonly message?: RegExp;
  /** Overrides the default of the code. */
  readonly transient?: boolean;
  /** The advice for the user. */
  readonly advice: string;
  /** The part of the config that is probably wrong, if the code does not imply it. */
  readonly blames?: 'model';
}

const shorten = 'Shorten the history, or use a model with a larger context.';
const wait = 'Try again later.';

/**
 * Errors of providers, their clients and the network. The first matching row wins, so rows that match a message come
 * before rows that match a status.
 */
const errorTable: readonly ErrorRow[] = [
  // Errors of `boundedFetch`.
  {
    code: 'MODEL_RESPONSE',
    kind: /^NO_STREAM$/,
    transient: false,
    advice: 'The server does not stream: fix baseURL, or use agent.run, which asks for one piece.',
  },
  { code: 'MODEL_RESPONSE', kind: /^WEB_PAGE$/, transient: false, advice: 'Fix baseURL.' },
  {
    code: 'MODEL_RESPONSE',
    kind: /^BODY_TOO_LARGE$/,
    transient: false,
    advice: 'It was cut off: check the response of the server, or set maxOutputTokens.',
  },

  // The request is too large. Providers have no common code for it.
  {
    code: 'MODEL_CONTEXT_OVERFLOW',
    kind: /^(?:context_length_exceeded|exceed_context_size_error|model_max_prompt_tokens_exceeded|request_too_large)$/,
    advice: shorten,
  },
  {
    code: 'MODEL_CONTEXT_OVERFLOW',
    status: (status) => status < 500 && status !== 429,
    message:
      /maximum context length|context[ _]length|context window|context size|prompt is too long|input is too long|too many (?:input )?tokens|exceeds? the maximum number of tokens|maximum prompt length|exceed context limit|too large for model|reduce the length of the (?:messages|prompt)|max_new_tokens\W+must be (?:<|less|at most|smaller)/i,
    advice: shorten,
  },
  { code: 'MODEL_CONTEXT_OVERFLOW', status: (status) => status === 413, advice: shorten },

  // The response or the request was filtered.
  {
    code: 'MODEL_CONTENT_FILTERED',
    kind: /^(?:content_filter|content_policy_violation|ResponsibleAIPolicyViolation|PROHIBITED_CONTENT|invalid_prompt|AI_DecisionRefusalError)$/,
    advice: 'Rephrase the request.',
  },
  {
    code: 'MODEL_CONTENT_FILTERED',
    status: (status) => status === 400,
    message: /content (?:management|filtering) policy|content[_ ]polic|safety system|usage guidelines/i,
    advice: 'Rephrase the request.',
  },

  // The account has no credit: waiting does not help.
  {
    code: 'MODEL_RATE_LIMITED',
    kind: /^(?:insufficient_quota|billing_hard_limit_reached|billing_error)$/,
    transient: false,
    advice: 'Check the plan and billing of the account.',
  },
  {
    code: 'MODEL_RATE_LIMITED',
    message:
      /credit balance is too low|exceeded your current quota, please check your plan|insufficient (?:balance|credits)/i,
    transient: false,
    advice: 'Check the plan and billing of the account.',
  },
  {
    code: 'MODEL_RATE_LIMITED',
    status: (status) => status === 402,
    transient: false,
    advice: 'Check the plan and billing of the account.',
  },

  // The API key.
  { code: 'MODEL_AUTH', status: (status) => status === 401, advice: 'Set a valid key.' },
  {
    code: 'MODEL_AUTH',
    kind: /^(?:AI_LoadAPIKeyError|authentication_error|invalid_api_key|API_KEY_INVALID|UNAUTHENTICATED|UnrecognizedClientException|InvalidSignatureException|ExpiredTokenException|CredentialsProviderError)$/,
    advice: 'Set a valid key.',
  },
  {
    code: 'MODEL_AUTH',
    message: /api key not valid|invalid api key|incorrect api key|invalid x-api-key/i,
    advice: 'Set a valid key.',
  },
  { code: 'MODEL_AUTH', status: (status) => status === 403, advice: 'Check the permissions of the key.' },
  {
    code: 'MODEL_AUTH',
    kind: /^(?:permission_error|PERMISSION_DENIED|AccessDeniedException)$/,
    advice: 'Check the permissions of the key.',
  },

  // Rate limits and overload.
  { code: 'MODEL_RATE_LIMITED', status: (status) => status === 429, advice: wait },
  {
    code: 'MODEL_RATE_LIMITED',
    kind: /^(?:rate_limit_error|rate_limit_exceeded|tokens|requests|RESOURCE_EXHAUSTED|ThrottlingException|throttlingException|TooManyRequestsException)$/,
    advice: wait,
  },
  {
    code: 'MODEL_OVERLOADED',
    // 498: Groq has no capacity left for its flex tier.
    status: (status) => status >= 500 || [408, 409, 425, 498].includes(status),
    advice: wait,
  },
  {
    code: 'MODEL_OVERLOADED',
    kind: /^(?:overloaded_error|api_error|server_error|internal_error|timeout_error|UNAVAILABLE|INTERNAL|DEADLINE_EXCEEDED|ServiceUnavailableException|serviceUnavailableException|InternalServerException|internalServerException|ModelTimeoutException|modelTimeoutException|ModelNotReadyException|modelStreamErrorException)$/,
    advice: wait,
  },

  // The network.
  {
    code: 'MODEL_NETWORK',
    kind: /^(?:CERT_\w+|UNABLE_TO_\w+|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|HOSTNAME_MISMATCH|ERR_TLS_\w+)$/,
    transient: false,
    advice:
      'The certificate is not trusted: fix baseURL, or add the authority that signed it to NODE_EXTRA_CA_CERTS.',
  },
  {
    code: 'MODEL_NETWORK',
    kind: /^(?:ERR_SSL_\w+|EPROTO)$/,
    transient: false,
    advice: 'The server does not use TLS there: fix baseURL (http or https, and the port).',
  },
  {
    code: 'MODEL_NETWORK',
    kind: /^(?:ERR_INVALID_URL|ERR_INVALID_PROTOCOL)$/,
    transient: false,
    advice: 'Fix baseURL.',
  },
  {
    code: 'MODEL_NETWORK',
    kind: /^(?:ENOTFOUND|EAI_AGAIN|EAI_FAIL)$/,
    advice: 'The host was not found: check baseURL and the connection.',
  },
  {
    code: 'MODEL_NETWORK',
    kind: /^(?:ECONNREFUSED|ConnectionRefused|FailedToOpenSocket)$/,
    advice: 'The connection was refused: check baseURL, and that the server is running.',
  },
  {
    code: 'MODEL_NETWORK',
    kind: /^(?:ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENETDOWN|UND_ERR_\w+|ConnectionClosed|HPE_\w+|AbortError|TimeoutError)$/,
    advice: 'Check the connection, and try again.',
  },
  {
    code: 'MODEL_NETWORK',
    message: /^(?:fetch failed|failed to fetch|terminated|network error)$/i,
    advice: 'Check the connection, and try again.',
  },

  {
    code: 'MODEL_NETWORK',
    message: /\bbad port\b|invalid url|failed to parse url/i,
    transient: false,
    advice: 'Fix baseURL.',
  },
  {
    code: 'MODEL_NETWORK',
    message: /^cannot connect to api/i,
    advice: 'Check the connection, and try again.',
  },

  // The request.
  {
    code: 'MODEL_BAD_REQUEST',
    status: (status) => status === 404,
    advice: 'There is no such model, or baseURL is wrong: fix whichever is wrong.',
    blames: 'model',
  },
  {
    code: 'MODEL_BAD_REQUEST',
    kind: /^(?:model_not_found|not_found_error|NOT_FOUND|ResourceNotFoundException|AI_NoSuchModelError)$/,
    advice: 'Fix the name of the model.',
    blames: 'model',
  },
  {
    code: 'MODEL_BAD_REQUEST',
    status: (status) => status >= 300 && status < 400,
    advice: 'The server redirects, and redirects are not followed: fix baseURL.',
  },
  {
    code: 'MODEL_BAD_REQUEST',
    status: (status) => status >= 300,
    advice: 'Fix the setting, tool or message that it names.',
  },
  {
    code: 'MODEL_BAD_REQUEST',
    kind: /^(?:AI_LoadSettingError|AI_Unsupported\w+|AI_InvalidPromptError|AI_InvalidArgumentError|AI_NoSuchProviderReferenceError|invalid_request_error|INVALID_ARGUMENT|FAILED_PRECONDITION|ValidationException|validationException)$/,
    advice: 'Fix the setting, tool or message that it names.',
  },

  // The response cannot be parsed.
  {
    code: 'MODEL_RESPONSE',
    kind: /^(?:AI_JSONParseError|AI_TypeValidationError|AI_InvalidResponseDataError|AI_EmptyResponseBodyError|AI_NoContentGeneratedError|AI_DownloadError|DownloadError)$/,
    advice:
      'The provider package does not understand the response: check baseURL, and the version of the package.',
  },
];

/** Returns the first matching row; undefined if there is none. */
export function rowFor({ status = 0, kinds, message }: ErrorFacts): ErrorRow | undefined {
  return errorTable.find(
    (row) =>
      (row.status === undefined || row.status(status)) &&
      (row.kind === undefined || kinds.some((kind) => row.kind?.test(kind) === true)) &&
      (row.message === undefined || row.message.test(message)),
  );
}
