/**
 * Puts the private members of a subclass on any object: what a stamp says of it, nobody else can see, copy or forge. It is
 * put on before the object is frozen, and costs a tenth of what a WeakSet does.
 */
export const Stamp = function stamped(object: object): object {
  return object;
} as unknown as new (object: object) => object;
