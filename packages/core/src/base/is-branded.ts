/** Whether a value bears a brand of ours, of any copy of the core. Of a proxy that cannot be read: no. */
export function isBranded(value: unknown, brand: symbol): value is object {
  try {
    return typeof value === 'object' && value !== null && brand in value;
  } catch {
    // A proxy that cannot be read is none of ours.
    return false;
  }
}
