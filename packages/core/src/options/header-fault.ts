/**
 * Returns the reason why HTTP does not allow a header; undefined if it does. It does not contain the value, which may be a
 * secret, unlike the error of `fetch`. Clients trim white space around values.
 */
export function headerFault(name: string, value: string): string | undefined {
  const what = isName.test(name)
    ? isValue.test(value.trim())
      ? undefined
      : 'its value contains a line break or a character'
    : 'its name contains a character';
  return what && `${what} that HTTP does not allow there`;
}

const isName = /^[\w!#$%&'*+.^`|~-]+$/;
const isValue = /^[\t\u0020-\u007E\u0080-\u00FF]*$/;
