/** Returns the media type of an image or a PDF by its first bytes; undefined for others. */
export function mediaTypeOf(bytes: Buffer): string | undefined {
  const starts = (text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text;
  if (starts('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (starts('\xff\xd8\xff')) return 'image/jpeg';
  if (starts('GIF87a') || starts('GIF89a')) return 'image/gif';
  if (starts('RIFF') && starts('WEBP', 8)) return 'image/webp';
  return starts('%PDF-') ? 'application/pdf' : undefined;
}
