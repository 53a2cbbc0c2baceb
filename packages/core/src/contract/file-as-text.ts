import type { FilePart } from './messages.ts';

/** Media types besides `text/…` with textual content. */
const textual =
  /^(?:text\/|application\/(?:json|jsonl|x-ndjson|xml|yaml|x-yaml|toml|csv|sql|javascript|x-javascript|typescript|x-sh|graphql|ld\+json)$)|\+(?:json|xml|yaml)$/i;

/** Returns the text of a file; undefined for other types, and for a file given by URL. */
export function textOfFile({ mediaType, data, url }: FilePart): string | undefined {
  const [type = ''] = mediaType.split(';');
  if (url !== undefined || data === undefined || !textual.test(type.trim())) return undefined;
  return Buffer.from(data, 'base64').toString();
}

/**
 * Returns the text that replaces a file that a model does not accept: its content, or a line that says that the file is
 * not shown.
 */
export function fileAsText(file: FilePart): string {
  const { mediaType, name, url, data = '' } = file;
  const text = textOfFile(file);
  if (text !== undefined)
    return `<file${name === undefined ? '' : ` name=${JSON.stringify(name)}`}>\n${text}\n</file>`;
  const which = name ?? url;
  const size = url === undefined ? `, ${Math.ceil((data.length * 0.75) / 1024)} KiB` : '';
  return `[The file${which === undefined ? '' : ` ${which}`} (${mediaType}${size}) is not shown: this model does not take it.]`;
}
