/** Names a service that plugins share, and carries its type. */
export interface ServiceKey<T> {
  readonly name: string;
  /** Never there: carries the type only. */
  readonly type?: T;
}

/** A key for `provide` and `use`. Equal names are equal keys, also across copies of a package. */
export function serviceKey<T>(name: string): ServiceKey<T> {
  return Object.freeze({ name });
}
