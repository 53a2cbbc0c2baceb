/** Reads JSON, of the type that its writer promises. @throws if the text is not JSON */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a caller knows the writer, and names the type
export function parseJson<T>(text: string): T {
  return JSON.parse(text) as T;
}
