export function isPromise<T>(value: T | Promise<T>): value is Promise<T>;
export function isPromise(value: unknown): value is Promise<unknown>;
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
