export type { CircuitBreakerOptions } from './circuit-breaker.ts';
export { circuitBreaker, modelFallback, modelRetry, timeouts, toolRetry } from './factories.ts';
export type { ModelFallbackOptions } from './model-fallback.ts';
export type { ModelRetryOptions, RetryOutcome } from './model-retry.ts';
export { resilience, resilience as default } from './resilience.ts';
export type { ResilienceOptions } from './resilience.ts';
export type { TimeoutOptions } from './timeouts.ts';
export type { ToolRetryOptions, ToolRetryOutcome } from './tool-retry.ts';
