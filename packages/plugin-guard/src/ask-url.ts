const maxBytes = 100_000;

/**
 * Asks a classifier by HTTP. @throws an error for redirects, any status but 2xx, and an answer that is too long or not JSON
 */
export async function askUrl(
  url: string,
  body: object,
  { headers, signal }: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal,
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered with the status ${response.status}`);
  }
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > maxBytes) throw new Error(`its answer is longer than ${maxBytes} bytes`);
  }
  return JSON.parse(text);
}
